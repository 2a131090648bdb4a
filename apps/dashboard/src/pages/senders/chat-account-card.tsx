import {
  Button,
  Card,
  Group,
  NumberInput,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import {
  type ChatAccount,
  type ChatSender,
  addChatSender,
  changeChatAccount,
  changeChatSender,
  deleteChatSender,
  listChatSenders,
} from '@signalbox/client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FailureText } from '../../parts/error-state.tsx';
import { WORDS } from './words.ts';

/** A chat account, its session window and its numbers. */
export function ChatAccountCard({ account }: { account: ChatAccount }): ReactNode {
  const { id, name, sessionWindow } = account;
  const mayManage = useMay('manage');
  const change = useAct(
    (window: ChatAccount['sessionWindow']) =>
      changeChatAccount({ path: { id }, body: { sessionWindow: window } }),
    { changes: ['senders'], done: WORDS.saved },
  );
  return (
    <Card component="section" aria-label={name}>
      <Group justify="space-between" mb="sm" align="flex-start">
        <div>
          <Title order={2}>{name}</Title>
          <Text size="sm" c="dimmed">{`${WORDS.account} ${id}`}</Text>
        </div>
        <Switch
          label={WORDS.window}
          description={WORDS.windowHelp}
          checked={sessionWindow === 'enforce'}
          disabled={!mayManage || change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked ? 'enforce' : 'off')}
        />
      </Group>
      <Senders accountId={id} />
      {mayManage && <AddSender accountId={id} />}
    </Card>
  );
}

function Senders({ accountId: id }: { accountId: number }): ReactNode {
  const { rows, isLoading, failure, hasMore, loadMore } = useList(['senders', 'of', id], (cursor, signal) =>
    listChatSenders({ path: { id }, query: { limit: 200, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  if (failure) return <FailureText failure={failure} />;
  if (rows.length === 0) return isLoading ? null : <Text size="sm">{WORDS.noNumbers}</Text>;
  return (
    <Table.ScrollContainer minWidth={340}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{WORDS.number}</Table.Th>
            <Table.Th>{WORDS.rate}</Table.Th>
            <Table.Th aria-label={WORDS.remove} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((sender) => (
            <SenderRow key={sender.msisdn} accountId={id} sender={sender} />
          ))}
        </Table.Tbody>
      </Table>
      {hasMore && (
        <Button variant="subtle" size="xs" onClick={loadMore}>
          Show more
        </Button>
      )}
    </Table.ScrollContainer>
  );
}

function SenderRow({ accountId: id, sender }: { accountId: number; sender: ChatSender }): ReactNode {
  const { msisdn, messagesPerSecond } = sender;
  const mayManage = useMay('manage');
  const [rate, setRate] = useState<number | string>(messagesPerSecond);
  const change = useAct(
    (perSecond: number) => changeChatSender({ path: { id, msisdn }, body: { messagesPerSecond: perSecond } }),
    { changes: ['senders'], done: WORDS.saved },
  );
  const remove = useAct(() => deleteChatSender({ path: { id, msisdn } }), {
    changes: ['senders'],
    done: WORDS.removed,
  });
  const save = () => {
    if (typeof rate === 'number' && rate !== messagesPerSecond) change.mutate(rate);
  };
  return (
    <Table.Tr>
      <Table.Td>{msisdn}</Table.Td>
      <Table.Td>
        <NumberInput
          aria-label={`${WORDS.rate} of ${msisdn}`}
          size="xs"
          w={110}
          min={1}
          max={1000}
          allowDecimal={false}
          value={rate}
          disabled={!mayManage}
          onChange={setRate}
          onBlur={save}
        />
      </Table.Td>
      <Table.Td ta="end">
        {mayManage && (
          <ConfirmButton
            size="compact-xs"
            question={`Delete ${msisdn}?`}
            consequence="Messages that wait to be sent from it fail with errCode 904, unless it is added again before. Other accounts cannot add it for 90 days."
            onConfirm={() => remove.mutateAsync()}
          >
            {WORDS.remove}
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function AddSender({ accountId: id }: { accountId: number }): ReactNode {
  const [msisdn, setMsisdn] = useState('');
  const add = useAct(() => addChatSender({ path: { id }, body: { msisdn: msisdn.trim() } }), {
    changes: ['senders'],
    done: WORDS.added,
    showsFailure: false,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined, { onSuccess: () => setMsisdn('') });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap={4} mt="sm">
        <Group gap="xs" align="flex-end">
          <TextInput
            label={WORDS.add}
            placeholder="15550100002"
            inputMode="tel"
            value={msisdn}
            onChange={(event) => setMsisdn(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={add.isPending} disabled={msisdn.trim() === ''}>
            {WORDS.add}
          </Button>
        </Group>
        {add.error && <FailureText failure={add.error} />}
      </Stack>
    </form>
  );
}
