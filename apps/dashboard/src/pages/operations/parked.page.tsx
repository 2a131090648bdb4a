import { Anchor, Button, SegmentedControl, TextInput } from '@mantine/core';
import { type ParkedRow, countParked, discardParked, freeParked, listParked } from '@signalbox/client';
import { Link, getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataList } from '../../parts/data-list.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/counted.ts';
import type { ParkedKind } from './operations.routes.tsx';
import { KINDS, WORDS } from './words.ts';

const route = getRouteApi('/shell/parked');

const LIVE_MS = 5_000;

const COLUMNS: readonly Column<ParkedRow>[] = [
  { id: 'id', label: 'Row', cell: (row) => <RowId row={row} />, width: 'minmax(200px, 2fr)' },
  { id: 'starts', label: 'Tried', cell: ({ starts }) => counted(starts, 'time'), width: '90px' },
  {
    id: 'problem',
    label: 'Last error',
    cell: ({ problem }) => problem ?? 'None noted: its worker ended',
    width: 'minmax(180px, 2fr)',
  },
  { id: 'gateway', label: 'Gateway', cell: ({ gateway }) => gateway, optional: 'shown' },
  { id: 'since', label: 'Since', cell: ({ since }) => <Time at={since} /> },
];

/** Rows that wait for an operator: free or discard one, some, or all of a kind. */
export function ParkedPage(): ReactNode {
  const { kind = 'message' } = route.useSearch();
  const navigate = route.useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { data: counts } = useAnswer(['parked', 'counts'], (signal) => countParked({ signal }), {
    refetchInterval: LIVE_MS,
  });
  const list = useList(
    ['parked', kind],
    (cursor, signal) => listParked({ query: { kind, ...(cursor !== undefined && { cursor }) }, signal }),
    { refetchInterval: LIVE_MS },
  );
  const choose = (value: string): void => {
    setChosen(new Set());
    void navigate({ search: { kind: value as ParkedKind } });
  };
  return (
    <Page
      title={WORDS.parked}
      lead={WORDS.parkedLead}
      crumbs={[{ label: WORDS.crumb }]}
      actions={
        <ParkedActions
          kind={kind}
          ids={[...chosen]}
          total={counts?.[kind] ?? 0}
          onDone={() => setChosen(new Set())}
        />
      }
    >
      <DataList
        label={WORDS.parked}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        selection={{ chosen, onChange: setChosen }}
        filters={
          <SegmentedControl
            aria-label="Kind of rows"
            value={kind}
            onChange={choose}
            data={Object.entries(KINDS).map(([value, [, label]]) => ({
              value,
              label: `${label} ${(counts?.[value as ParkedKind] ?? 0).toLocaleString()}`,
            }))}
          />
        }
        empty={<EmptyState title={WORDS.noParked} text={WORDS.noParkedText} />}
      />
    </Page>
  );
}

interface ActionsProps {
  kind: ParkedKind;
  /** Chosen rows; none for all of the kind. */
  ids: string[];
  total: number;
  onDone: () => void;
}

function ParkedActions({ kind, ids, total, onDone }: ActionsProps): ReactNode {
  const [reason, setReason] = useState('');
  const options = { changes: ['parked'], done: (body: { message: string }) => body.message };
  const given = { kind, ...(ids.length > 0 && { ids }) };
  const free = useAct(() => freeParked({ body: given }), options);
  const discard = useAct(() => discardParked({ body: { ...given, reason } }), options);
  const count = ids.length > 0 ? ids.length : total;
  const rows = `${ids.length > 0 || count === 1 ? '' : 'all '}${counted(count, KINDS[kind][0])}`;
  if (count === 0) return null;
  return (
    <>
      <ConfirmButton
        question={`Discard ${rows}?`}
        consequence="They end permanently. A message fails with errCode 902, and its report is pushed. This cannot be undone."
        isReady={reason.trim() !== ''}
        fields={
          <TextInput
            label="Reason"
            required
            maxLength={200}
            value={reason}
            onChange={(e) => setReason(e.target.value)}
          />
        }
        onConfirm={async () => {
          await discard.mutateAsync();
          onDone();
        }}
      >
        {`Discard ${rows}`}
      </ConfirmButton>
      {ids.length > 0 ? (
        <Button loading={free.isPending} onClick={() => free.mutate(undefined, { onSuccess: onDone })}>
          {`Free ${rows}`}
        </Button>
      ) : (
        <ConfirmButton
          color="blue"
          question={`Free ${rows}?`}
          consequence="Workers start them again within seconds. Rows that fail ten more times come back."
          onConfirm={() => free.mutateAsync()}
        >
          {`Free ${rows}`}
        </ConfirmButton>
      )}
    </>
  );
}

function RowId({ row: { id, messageId } }: { row: ParkedRow }): ReactNode {
  if (messageId === null) return id;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link {...props} to="/messages/$messageId" params={{ messageId }} />}
    >
      {id}
    </Anchor>
  );
}
