import { type Found, search } from '@signalbox/client';
import { useDebouncedValue } from '@mantine/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { Target } from './search-targets.ts';

const PAUSE_MS = 200;
const MIN_LENGTH = 2;
const NONE: readonly Found[] = [];

/** Pages of what a search finds, by its kind. Other kinds are left out. */
const PAGES: Partial<Record<Found['kind'], (id: string) => string>> = {
  send: (id) => `/messages?submissionId=${id}`,
  message: (id) => `/messages/${id}`,
  number: (id) => `/messages?recipient=${id}`,
  campaign: (id) => `/messages?campaignName=${encodeURIComponent(id)}`,
  reference: (id) => `/messages?clientRef=${encodeURIComponent(id)}`,
  webhook: (id) => `/webhooks/${id}`,
  delivery: (id) => `/deliveries/${encodeURIComponent(id)}`,
  template: (id) => `/templates/${id}`,
  'chat-account': (id) => `/chat-accounts/${id}`,
};

const KINDS: Partial<Record<Found['kind'], string>> = {
  send: 'Send',
  message: 'Message',
  number: 'Messages to',
  campaign: 'Campaign',
  reference: 'Reference',
  webhook: 'Push configuration',
  delivery: 'Push',
  template: 'Template',
  'chat-account': 'Chat account',
};

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

function targetOf({ kind, id, label, detail }: Found): Target[] {
  const path = PAGES[kind]?.(id);
  return path === undefined
    ? []
    : [{ path, label: `${KINDS[kind] ?? kind} ${label}`, ...(detail !== null && { detail }) }];
}
