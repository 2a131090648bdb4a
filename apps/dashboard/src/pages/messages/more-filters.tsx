import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { onSubmit } from '../../parts/on-submit.ts';
import { onText } from '../../parts/on-text.ts';
import { type MessageSearch, TEXT_FILTERS } from './search.ts';
import { useChange } from './use-change.ts';
import { TEXT_LABELS, WORDS } from './words.ts';

/** The filters that are needed less often. */
export function MoreFilters({ search }: { search: MessageSearch }): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <Popover opened={isOpen} onChange={close} position="bottom-start" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} />} onClick={toggle}>
          {WORDS.more}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{isOpen && <Fields search={search} onDone={close} />}</Popover.Dropdown>
    </Popover>
  );
}

function Fields({ search, onDone }: { search: MessageSearch; onDone: () => void }): ReactNode {
  const change = useChange();
  const [typed, setTyped] = useState<MessageSearch>(search);
  const set = (name: keyof MessageSearch, value: string | undefined) =>
    setTyped((before) => ({ ...before, [name]: value }));
  const apply = () => {
    const { from, to } = typed;
    const texts = Object.fromEntries(TEXT_FILTERS.map((name) => [name, typed[name]?.trim() || undefined]));
    change({ ...texts, from, to, ...((from || to) && { last: undefined }) });
    onDone();
  };
  return (
    <form onSubmit={onSubmit(apply)}>
      <Stack gap="xs">
        {TEXT_FILTERS.map((name) => (
          <TextInput
            key={name}
            label={TEXT_LABELS[name]}
            value={typed[name] ?? ''}
            onChange={onText((value) => set(name, value))}
          />
        ))}
        {(['from', 'to'] as const).map((name) => (
          <DateTimePicker
            key={name}
            label={WORDS[name]}
            value={typed[name] ? new Date(typed[name]) : null}
            onChange={(value) => set(name, value ? new Date(value).toISOString() : undefined)}
            popoverProps={{ withinPortal: false }}
            clearable
          />
        ))}
        <Button type="submit">{WORDS.apply}</Button>
      </Stack>
    </form>
  );
}
