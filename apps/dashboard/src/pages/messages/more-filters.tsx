import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { TimeInput } from '../../parts/time-input.tsx';
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
    <Form onSubmit={apply}>
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
          <TimeInput
            key={name}
            label={WORDS[name]}
            value={typed[name]}
            onChange={(value) => set(name, value)}
          />
        ))}
        <SubmitButton>{WORDS.apply}</SubmitButton>
      </Stack>
    </Form>
  );
}
