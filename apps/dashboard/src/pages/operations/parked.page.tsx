import { Box, Button, SegmentedControl, TextInput } from '@mantine/core';
import { type ParkedRow, countParked, discardParked, freeParked, listParked } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type ClientResult, answerOf } from '../../api/answer.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { counted } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useSteps } from '../../parts/use-steps.tsx';
import type { ParkedKind } from './operations.routes.tsx';
import { KINDS, WORDS } from './words.ts';

const route = getRouteApi('/shell/parked');

/** Rows of one call. */
const STEP = 500;

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
    live: ['parked'],
  });
  const list = useList(
    ['parked', kind],
    (cursor, signal) => listParked({ query: { kind, ...(cursor !== undefined && { cursor }) }, signal }),
    { live: ['parked'] },
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
          <Box maw="100%" style={{ overflowX: 'auto' }}>
            <SegmentedControl
              aria-label="Kind of rows"
              value={kind}
              onChange={choose}
              data={Object.entries(KINDS).map(([value, [, label]]) => ({
                value,
                label: `${label} ${(counts?.[value as ParkedKind] ?? 0).toLocaleString()}`,
              }))}
            />
          </Box>
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
  const begin = useSteps();
  const count = ids.length > 0 ? ids.length : total;
  const noun = KINDS[kind][0];
  const rows = `${ids.length > 0 || count === 1 ? '' : 'all '}${counted(count, noun)}`;
  const act = (label: string, call: (part: PartOfRows) => ClientResult<{ data: { rows: number } }>) => {
    begin({ label: `${label} ${noun}s`, total: count, changes: ['parked'], step: stepOf(ids, call) });
    onDone();
  };
  const free = () => act('Freeing', (part) => freeParked({ body: { kind, ...part } }));
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
        onConfirm={() => act('Discarding', (part) => discardParked({ body: { kind, reason, ...part } }))}
      >
        {`Discard ${rows}`}
      </ConfirmButton>
      {ids.length > 0 ? (
        <Button onClick={free}>{`Free ${rows}`}</Button>
      ) : (
        <ConfirmButton
          color="blue"
          question={`Free ${rows}?`}
          consequence="Workers start them again within seconds. Rows that fail ten more times come back."
          onConfirm={free}
        >
          {`Free ${rows}`}
        </ConfirmButton>
      )}
    </>
  );
}

/** The rows of one call: some by id, or the next of those that match. */
type PartOfRows = { ids: string[] } | { limit: number };

/** Acts on the next chosen rows, or on the next of all. */
function stepOf(
  ids: readonly string[],
  call: (part: PartOfRows) => ClientResult<{ data: { rows: number } }>,
): () => Promise<number> {
  let at = 0;
  return async () => {
    if (ids.length === 0) return (await answerOf(call({ limit: STEP }))).data.rows;
    const part = ids.slice(at, at + STEP);
    if (part.length === 0) return 0;
    at += STEP;
    await answerOf(call({ ids: part }));
    return part.length;
  };
}

function RowId({ row: { id, messageId } }: { row: ParkedRow }): ReactNode {
  if (messageId === null) return id;
  return (
    <TextLink size="sm" to="/messages/$messageId" params={{ messageId }}>
      {id}
    </TextLink>
  );
}
