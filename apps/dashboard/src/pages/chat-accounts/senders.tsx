import { ActionIcon, Group, NumberInput, Skeleton, Table, TextInput } from '@mantine/core';
import {
  type ChatSender,
  type ChatSenderRequest,
  addChatSender,
  changeChatSender,
  deleteChatSender,
  listChatSenders,
} from '@signalbox/client';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { type List, useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { MoreButton, PreviousButton } from '../../parts/more-button.tsx';
import { onText } from '../../parts/on-text.ts';
import { ReadFailure } from '../../parts/read-failure.tsx';
import { Section } from '../../parts/section.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { Time } from '../../parts/time.tsx';
import { useBusy } from '../../parts/use-busy.ts';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { WORDS } from './words.ts';

/** Lists that show the numbers of chat accounts. */
const CHANGES = ['chat-senders', 'senders'];

const MAX_PACE = 1_000;
const USUAL_PACE = 80;

/** The numbers of a chat account. */
export function Senders({
  id,
  title = WORDS.senders,
}: {
  id: number;
  /** Heading: the name of the account where several are shown. */
  title?: string;
}): ReactNode {
  const mayWrite = useMay('manage');
  const list = useList(['chat-senders', id], (cursor, signal) =>
    listChatSenders({ path: { id }, query: { cursor, limit: 100 }, signal }),
  );
  return (
    <Section title={title} lead={WORDS.sendersLead}>
      {mayWrite && <AddSender id={id} />}
      <SenderRows id={id} list={list} />
    </Section>
  );
}

function SenderRows({ id, list }: { id: number; list: List<ChatSender> }): ReactNode {
  const mayWrite = useMay('manage');
  if (list.isLoading) return <Skeleton height={80} aria-label="Loading" />;
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  if (list.rows.length === 0)
    return <EmptyState title={WORDS.noSenders} text={mayWrite && WORDS.noSendersText} />;
  return (
    <>
      <Table.ScrollContainer minWidth={300}>
        <PreviousButton list={list} />
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{WORDS.number}</Table.Th>
              <Table.Th>{WORDS.pace}</Table.Th>
              <Table.Th visibleFrom="xs">{WORDS.createdAt}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.rows.map((sender) => (
              <Row key={sender.msisdn} id={id} sender={sender} />
            ))}
          </Table.Tbody>
        </Table>
        <MoreButton list={list} />
      </Table.ScrollContainer>
      <ReadFailure list={list} />
    </>
  );
}

function Row({
  id,
  sender: { msisdn, messagesPerSecond, createdAt },
}: {
  id: number;
  sender: ChatSender;
}): ReactNode {
  const mayWrite = useMay('manage');
  const path = { id, msisdn };
  const remove = useAct(() => deleteChatSender({ path }), { changes: CHANGES, done: WORDS.removed });
  return (
    <Table.Tr>
      <Table.Td>{msisdn}</Table.Td>
      <Table.Td>
        {mayWrite ? (
          <Pace key={messagesPerSecond} path={path} value={messagesPerSecond} />
        ) : (
          messagesPerSecond
        )}
      </Table.Td>
      <Table.Td visibleFrom="xs">
        <Time at={createdAt} />
      </Table.Td>
      <Table.Td ta="end">
        {mayWrite && (
          <ConfirmButton
            size="compact-sm"
            variant="subtle"
            color="red"
            question={WORDS.removeQuestion(msisdn)}
            consequence={WORDS.removeText}
            onConfirm={() => remove.mutateAsync()}
          >
            {WORDS.remove}
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Pace({ path, value }: { path: { id: number; msisdn: string }; value: number }): ReactNode {
  const [pace, setPace] = useState<number | string>(value);
  const change = useAct(() => changeChatSender({ path, body: { messagesPerSecond: Number(pace) } }), {
    changes: CHANGES,
    done: WORDS.saved,
  });
  const { isBusy, run } = useBusy(() => change.mutateAsync());
  return (
    <Group gap={6} wrap="nowrap">
      <NumberInput
        size="xs"
        w={90}
        min={1}
        max={MAX_PACE}
        allowDecimal={false}
        aria-label={`${WORDS.pace}: ${path.msisdn}`}
        value={pace}
        onChange={setPace}
      />
      {pace !== value && pace !== '' && (
        <ActionIcon aria-label={WORDS.change} loading={isBusy} onClick={() => void run()}>
          <IconDeviceFloppy size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}

function AddSender({ id }: { id: number }): ReactNode {
  const [msisdn, setMsisdn] = useState('');
  const [pace, setPace] = useState<number | string>(USUAL_PACE);
  const add = useAct((body: ChatSenderRequest, headers) => addChatSender({ path: { id }, body, headers }), {
    changes: CHANGES,
    done: WORDS.added,
    showsFailure: false,
  });
  const { about, shown } = useFieldErrors(add.error, { msisdn, messagesPerSecond: pace });
  const submit = async () => {
    await add.mutateAsync({ msisdn: msisdn.trim(), messagesPerSecond: Number(pace) });
    setMsisdn('');
  };
  return (
    <Form isChanged={msisdn !== ''} onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={WORDS.number}
          inputMode="tel"
          placeholder="15550100002"
          value={msisdn}
          onChange={onText(setMsisdn)}
          error={about('msisdn')}
        />
        <NumberInput
          label={WORDS.pace}
          w={180}
          min={1}
          max={MAX_PACE}
          allowDecimal={false}
          value={pace}
          onChange={setPace}
          error={about('messagesPerSecond')}
        />
        <SubmitButton disabled={msisdn.trim() === '' || pace === ''}>{WORDS.addSender}</SubmitButton>
      </Group>
      <FailureAlert failure={shown?.details.length === 0 ? shown : null} />
    </Form>
  );
}
