import { Chip, Group } from '@mantine/core';
import { type ParkedRow, countParked, listParked } from '@signalbox/client';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { counted, upTo } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useChosen } from '../../parts/use-chosen.ts';
import type { ParkedKind } from './operations-search.ts';
import { ParkedActions } from './parked-actions.tsx';
import { KINDS, WORDS } from './words.ts';

const route = getRouteApi('/shell/parked');

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
  const [chosen, setChosen] = useChosen(kind);
  const { data: counts } = useAnswer(['parked', 'counts'], (signal) => countParked({ signal }), {
    live: ['parked'],
  });
  const list = useList(
    ['parked', kind],
    (cursor, signal) => listParked({ query: { kind, ...(cursor !== undefined && { cursor }) }, signal }),
    { live: ['parked'] },
  );
  const choose = (next: ParkedKind): void => void navigate({ search: { kind: next } });
  return (
    <Page
      title={WORDS.parked}
      lead={WORDS.parkedLead}
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
        filters={<KindChoice kind={kind} counts={counts} onChange={choose} />}
        empty={<EmptyState title={WORDS.noParked} text={WORDS.noParkedText} />}
      />
    </Page>
  );
}

interface KindChoiceProps {
  kind: ParkedKind;
  /** Undefined until they are known. */
  counts: Readonly<Record<ParkedKind, number>> | undefined;
  onChange: (kind: ParkedKind) => void;
}

function KindChoice({ kind, counts, onChange }: KindChoiceProps): ReactNode {
  const kinds = Object.entries(KINDS) as [ParkedKind, (typeof KINDS)[ParkedKind]][];
  return (
    <Group gap={6} role="radiogroup" aria-label="Kind of rows">
      <Chip.Group value={kind} onChange={(value) => onChange(value as ParkedKind)}>
        {kinds.map(([value, [, label]]) => (
          <Chip key={value} value={value} size="xs">
            {counts ? `${label} ${upTo(counts[value], COUNTED_ROWS)}` : label}
          </Chip>
        ))}
      </Chip.Group>
    </Group>
  );
}

function RowId({ row: { id, messageId } }: { row: ParkedRow }): ReactNode {
  if (messageId === null) return id;
  return (
    <TextLink size="sm" to="/messages/$messageId" params={{ messageId }}>
      {id}
    </TextLink>
  );
}
