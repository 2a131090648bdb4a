import { type Found, search } from '@signalbox/client';
import { useDebouncedValue } from '@mantine/hooks';
import { useAnswer } from '../api/use-answer.ts';
import { isMasked } from '../parts/is-masked.ts';
import { PAGES } from './found-pages.ts';
import type { Target } from './search-targets.ts';

const PAUSE_MS = 200;
const MIN_LENGTH = 2;
const NONE: readonly Found[] = [];

/** Asks the api for what a text names, once its author pauses. */
export function useFound(text: string): { found: readonly Target[]; isSearching: boolean } {
  const [query] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { data, isFetching } = useAnswer(
    ['search', query],
    (signal) => search({ query: { q: query }, signal }),
    {
      enabled: query.length >= MIN_LENGTH,
    },
  );
  return { found: (data ?? NONE).flatMap(targetOf), isSearching: isFetching || query !== text.trim() };
}

function targetOf(found: Found): Target[] {
  const { kind, label, detail } = found;
  const page = PAGES[kind];
  if (!page) return [];
  const path = page.path(found);
  // a viewer's answer has masked numbers, by which nothing is found
  if (isMasked(path)) return [];
  return [{ path, label: `${page.label} ${label}`, ...(detail !== null && { detail }) }];
}
