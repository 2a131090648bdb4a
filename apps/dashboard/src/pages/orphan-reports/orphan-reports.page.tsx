import { Group, Stack } from '@mantine/core';
import {
  type Gateway,
  type OrphanReport,
  discardOrphanReport,
  listGateways,
  listOrphanReports,
} from '@signalbox/client';
import { IconMailQuestion } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { oneOf, withoutUndefined } from '../../parts/search-params.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { AssignButton } from './assign-button.tsx';
import { LearnedRules } from './learned-rules.tsx';
import type { OrphanSearch } from './orphan-search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/orphan-reports');

/** The orphan box: assign or discard what is left, and revoke learned rules. */
export function OrphanReportsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(
    ['orphan-reports', search],
    (cursor, signal) => listOrphanReports({ query: { ...search, cursor }, signal }),
    { live: ['orphan'] },
  );
  const gateways = useAnswer(['gateways', 'list', 'rules'], (signal) => listGateways({ signal }));
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={WORDS.title} lead={WORDS.lead}>
      <Stack gap="xl">
        <DataList
          label={WORDS.title}
          list={list}
          columns={useMay('ops') ? [...COLUMNS, ACTIONS] : COLUMNS}
          rowKey={({ id }) => id}
          onClear={isFiltered ? () => void navigate({ search: {}, replace: true }) : undefined}
          filters={<Filters search={search} gateways={gateways.data ?? []} />}
          empty={
            <EmptyState
              icon={IconMailQuestion}
              title={isFiltered ? WORDS.noMatchTitle : WORDS.emptyTitle}
              text={isFiltered ? WORDS.noMatchText : WORDS.emptyText}
            />
          }
        />
        <LearnedRules gateways={gateways.data ?? []} />
      </Stack>
    </Page>
  );
}

const COLUMNS: readonly Column<OrphanReport>[] = [
  {
    id: 'received',
    label: WORDS.received,
    width: '96px',
    cell: ({ receivedAt }) => <Time at={receivedAt} />,
  },
  { id: 'gateway', label: WORDS.gateway, width: '104px', cell: ({ gateway }) => gateway },
  { id: 'kind', label: WORDS.kind, width: '96px', cell: ({ kind }) => WORDS.kinds[kind] },
  {
    id: 'id',
    label: WORDS.id,
    width: 'minmax(110px, 1fr)',
    cell: ({ gatewayMessageId }) => gatewayMessageId,
  },
  {
    id: 'number',
    label: WORDS.number,
    width: '120px',
    cell: ({ recipient, from }) => from ?? recipient ?? '–',
  },
  { id: 'says', label: WORDS.says, width: 'minmax(126px, 2fr)', cell: (orphan) => <Says orphan={orphan} /> },
  {
    id: 'nextTry',
    label: WORDS.nextTry,
    width: '130px',
    optional: 'hidden',
    cell: ({ nextTryAt }) => (nextTryAt === null ? WORDS.notTried : <Time at={nextTryAt} />),
  },
];

const ACTIONS: Column<OrphanReport> = {
  id: 'actions',
  label: 'Actions',
  isAction: true,
  width: '190px',
  cell: (orphan) => (
    <Group gap={6} wrap="nowrap">
      <AssignButton orphan={orphan} />
      <DiscardButton id={orphan.id} />
    </Group>
  ),
};

function Says({ orphan: { status, errCode, description } }: { orphan: OrphanReport }): ReactNode {
  return (
    <Group gap={6} wrap="nowrap">
      {status !== null && <Status status={status} />}
      {[errCode === '000' ? '' : errCode, description].filter((part) => part !== '').join(' ')}
    </Group>
  );
}

function DiscardButton({ id }: { id: string }): ReactNode {
  const discard = useAct(() => discardOrphanReport({ path: { id } }), {
    changes: ['orphan-reports'],
    done: WORDS.discarded,
  });
  return (
    <ConfirmButton
      size="xs"
      question={WORDS.discardQuestion}
      consequence={WORDS.discardText}
      onConfirm={() => discard.mutateAsync()}
    >
      {WORDS.discard}
    </ConfirmButton>
  );
}

function Filters({ search, gateways }: { search: OrphanSearch; gateways: readonly Gateway[] }): ReactNode {
  const navigate = route.useNavigate();
  const change = (part: { [K in keyof OrphanSearch]: OrphanSearch[K] | undefined }) =>
    void navigate({ search: withoutUndefined<OrphanSearch>({ ...search, ...part }), replace: true });
  const names = [
    ...new Set([...gateways.map(({ name }) => name), ...(search.gateway ? [search.gateway] : [])]),
  ];
  return (
    <>
      <ChoiceFilter
        label={WORDS.gateway}
        data={names}
        searchable
        value={search.gateway}
        onChange={(gateway) => change({ gateway })}
      />
      <ChoiceFilter
        label={WORDS.kind}
        data={Object.entries(WORDS.kinds).map(([value, label]) => ({ value, label }))}
        value={search.kind}
        onChange={(kind) => change({ kind: oneOf(['report', 'inbound'], kind) })}
      />
    </>
  );
}
