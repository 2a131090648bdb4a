import { Spotlight, createSpotlight } from '@mantine/spotlight';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { type MenuItem, menuOf } from './menu-items.ts';
import { type Target, targetsOf } from './search-targets.ts';
import type { TypeAhead } from './type-ahead.ts';
import { useFound } from './use-found.ts';
import { useSession } from './use-session.ts';

const [store, panel] = createSpotlight();
const ICON = { size: 18, stroke: 1.6 };

/**
 * Finds pages by their names, and what a pasted number or id names.
 *
 * @param openings count of the times that it was opened
 * @param typed collects what is typed until the field has the focus
 */
export function SearchPanel({ openings, typed }: { openings: number; typed: TypeAhead }): ReactNode {
  const [text, setText] = useState('');
  const router = useRouter();
  const pages = pagesOf(menuOf(useSession()), text);
  const { targets, isSearching } = useTargets(text);
  useEffect(() => {
    // the panel forgets its text only once it has faded out
    if (!store.getState().opened) setText('');
    panel.open();
  }, [openings]);
  const go = (path: string) => router.history.push(router.options.basepath + path);
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="A number, a message id, or a page"
        leftSection={<IconSearch {...ICON} />}
        aria-label="Search"
        onFocus={() => setText((before) => before + typed.take())}
      />
      <Spotlight.ActionsList>
        <Group label="Go to">
          {targets.map(({ path, label, detail }) => (
            <Spotlight.Action
              key={path}
              label={label}
              description={detail ?? ''}
              leftSection={<IconArrowRight {...ICON} />}
              onClick={() => go(path)}
            />
          ))}
        </Group>
        <Group label="Pages">
          {pages.map(({ to, label, group, icon: Icon }) => (
            <Spotlight.Action
              key={to}
              label={label}
              description={group}
              leftSection={<Icon {...ICON} />}
              onClick={() => go(to)}
            />
          ))}
        </Group>
        {targets.length + pages.length === 0 && (
          <Spotlight.Empty>
            {isSearching ? 'Searching' : 'Nothing has this number, id or name.'}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Results under a heading; no heading without results. */
function Group({ label, children }: { label: string; children: readonly ReactNode[] }): ReactNode {
  return children.length > 0 && <Spotlight.ActionsGroup label={label}>{children}</Spotlight.ActionsGroup>;
}

/** Pages that a text names by its form, and those that the api finds. */
function useTargets(text: string): { targets: readonly Target[]; isSearching: boolean } {
  const { found, isSearching } = useFound(text);
  const named = targetsOf(text);
  const targets = [...named, ...found.filter(({ path }) => !named.some((each) => each.path === path))];
  return { targets, isSearching };
}

function pagesOf(items: readonly MenuItem[], text: string): readonly MenuItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(({ label, group, keywords = '' }) => {
    const known = `${label} ${group} ${keywords}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
}
