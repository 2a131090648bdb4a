import { type TroubledEndpoint, listEndpoints } from '@signalbox/client';
import { IconPlugConnected } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { upTo } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { STATES } from './endpoint-search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/endpoints');
const COLORS = { open: 'red', half_open: 'yellow', failing: 'orange', disabled: 'gray' } as const;

/** The endpoints of all accounts that are in trouble. */
export function EndpointsPage(): ReactNode {
  const search = route.useSearch();
  const list = useList(
    ['endpoints', search],
    (cursor, signal) => listEndpoints({ query: { ...search, cursor }, signal }),
    { live: ['endpoint'] },
  );
  const isFiltered = search.state !== undefined;
  return (
    <Page title={WORDS.title} lead={WORDS.lead}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ webhookId }) => webhookId}
        filters={<StateFilter />}
        empty={
          <EmptyState
            icon={IconPlugConnected}
            title={isFiltered ? WORDS.noMatchTitle : WORDS.emptyTitle}
            text={isFiltered ? WORDS.noMatchText : WORDS.emptyText}
          />
        }
      />
    </Page>
  );
}

function StateFilter(): ReactNode {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ChoiceFilter
      label={WORDS.state}
      data={STATES.map((value) => ({ value, label: WORDS.states[value] }))}
      value={state}
      onChange={(chosen) => {
        const next = STATES.find((each) => each === chosen);
        void navigate({ search: next === undefined ? {} : { state: next }, replace: true });
      }}
    />
  );
}

const COLUMNS: readonly Column<TroubledEndpoint>[] = [
  { id: 'name', label: WORDS.configuration, width: 'minmax(190px, 2fr)', cell: ({ name }) => <b>{name}</b> },
  {
    id: 'account',
    label: WORDS.account,
    width: 'minmax(110px, 1fr)',
    cell: ({ accountName }) => accountName,
  },
  {
    id: 'state',
    label: WORDS.state,
    width: '118px',
    cell: ({ state }) => <Status status={WORDS.states[state]} color={COLORS[state]} />,
  },
  { id: 'origin', label: WORDS.origin, width: 'minmax(126px, 2fr)', cell: ({ origin }) => origin },
  {
    id: 'failures',
    label: WORDS.failures,
    width: '126px',
    align: 'end',
    cell: ({ failures }) => failures.toLocaleString(),
  },
  {
    id: 'since',
    label: WORDS.since,
    width: '112px',
    cell: ({ failingSince }) => maybeTime(failingSince),
  },
  {
    id: 'probe',
    label: WORDS.probe,
    width: '98px',
    cell: ({ nextProbeAt }) => maybeTime(nextProbeAt),
  },
  {
    id: 'backlog',
    label: WORDS.backlog,
    width: '76px',
    align: 'end',
    cell: ({ backlog }) => upTo(backlog, COUNTED_ROWS),
  },
  {
    id: 'oldest',
    label: WORDS.oldest,
    width: '120px',
    optional: 'hidden',
    cell: ({ oldestDueAt }) => maybeTime(oldestDueAt),
  },
  {
    id: 'reason',
    label: WORDS.reason,
    width: 'minmax(160px, 1fr)',
    optional: 'hidden',
    cell: ({ disabledReason }) => disabledReason ?? '',
  },
];

function maybeTime(at: string | null): ReactNode {
  return at === null ? '' : <Time at={at} />;
}
