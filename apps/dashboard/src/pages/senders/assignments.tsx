import { Group, Stack, TextInput, Title } from '@mantine/core';
import {
  type AssignmentRequest,
  type SenderAssignment,
  assignSender,
  listSenderAssignments,
  releaseSender,
} from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { Time } from '../../parts/time.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { WORDS } from './words.ts';

const COLUMNS: readonly Column<SenderAssignment>[] = [
  { id: 'number', label: WORDS.number, cell: ({ msisdn }) => msisdn },
  { id: 'owner', label: WORDS.owner, cell: ({ accountName }) => accountName },
  { id: 'state', label: WORDS.state, cell: (row) => <State row={row} /> },
  { id: 'since', label: WORDS.since, cell: ({ assignedAt }) => <Time at={assignedAt} as="short" /> },
  {
    id: 'release',
    label: 'Actions',
    isAction: true,
    width: '84px',
    cell: (row) => <Release row={row} />,
  },
];

/** For operators: which account owns a number of a chat app. */
export function Assignments(): ReactNode {
  const list = useList(['senders', 'assignments'], (cursor, signal) =>
    listSenderAssignments({ query: { limit: 200, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  return (
    <section aria-label={WORDS.assigned}>
      <Group justify="space-between" my="sm">
        <Title order={2}>{WORDS.assigned}</Title>
        <Assign />
      </Group>
      <DataList
        label={WORDS.assigned}
        list={list}
        columns={COLUMNS}
        rowKey={({ msisdn }) => msisdn}
        empty={<EmptyState title={WORDS.noneAssigned} />}
      />
    </section>
  );
}

function State({ row: { inUse, quarantinedUntil, assignedBy } }: { row: SenderAssignment }): ReactNode {
  if (quarantinedUntil !== null)
    return (
      <>
        In quarantine until <Time at={quarantinedUntil} as="short" />
      </>
    );
  if (inUse) return 'In use';
  return assignedBy === 'operator' ? 'Assigned, not in use' : 'Not in use';
}

function Release({ row: { msisdn, inUse, accountName } }: { row: SenderAssignment }): ReactNode {
  const mayOperate = useMay('ops');
  const release = useAct(
    () => releaseSender({ path: { msisdn }, ...(inUse && { query: { removeSender: 'true' as const } }) }),
    { changes: ['senders'], done: WORDS.released },
  );
  if (!mayOperate) return null;
  const taken = `${accountName} sends from it now: its pending messages fail with errCode 904.`;
  return (
    <ConfirmButton
      size="compact-xs"
      question={`Release ${msisdn}?`}
      consequence={inUse ? taken : 'It is then free for every account.'}
      onConfirm={() => release.mutateAsync()}
    >
      {WORDS.release}
    </ConfirmButton>
  );
}

function Assign(): ReactNode {
  if (!useMay('ops')) return null;
  return (
    <DialogButton label={WORDS.assign} variant="default" leftSection={<IconPlus size={16} />}>
      {(close) => <AssignForm onDone={close} />}
    </DialogButton>
  );
}

function AssignForm({ onDone }: { onDone: () => void }): ReactNode {
  const [msisdn, setMsisdn] = useState('');
  const [accountId, setAccountId] = useState('');
  const assign = useAct((body: AssignmentRequest, headers) => assignSender({ body, headers }), {
    changes: ['senders'],
    done: WORDS.assignedDone,
    showsFailure: false,
  });
  const { about, shown } = useFieldErrors(assign.error, { msisdn, accountId });
  const submit = () => {
    const owner = accountId.trim();
    const body = { msisdn: msisdn.trim(), ...(owner !== '' && { accountId: owner }) };
    return assign.mutateAsync(body, { onSuccess: onDone });
  };
  return (
    <Form isChanged={msisdn !== '' || accountId !== ''} onSubmit={submit}>
      <Stack>
        <TextInput
          label={WORDS.number}
          required
          value={msisdn}
          error={about('msisdn')}
          onChange={onText(setMsisdn)}
        />
        <TextInput
          label={WORDS.ownerId}
          description={WORDS.ownerIdHelp}
          value={accountId}
          error={about('accountId')}
          onChange={onText(setAccountId)}
        />
        <FailureAlert failure={shown} />
        <Group justify="flex-end">
          <SubmitButton>{WORDS.assign}</SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
