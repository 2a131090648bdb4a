import { Anchor, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { type AuditEvent, listAuditEvents } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useList } from '../../api/use-list.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Page } from '../../parts/page.tsx';
import { withoutUndefined } from '../../parts/search-params.ts';
import { TextFilter } from '../../parts/text-filter.tsx';
import { Time } from '../../parts/time.tsx';
import type { AuditSearch } from './audit-search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/audit');

/** The audit log of the account. */
export function AuditPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(['audit', search], (cursor, signal) =>
    listAuditEvents({ query: { ...search, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  const filter = useCallback(
    (part: { [K in keyof AuditSearch]: AuditSearch[K] | undefined }) =>
      void navigate({ search: (before) => withoutUndefined<AuditSearch>({ ...before, ...part }) }),
    [navigate],
  );
  const columns = useMemo(() => columnsOf(filter), [filter]);
  return (
    <Page title={WORDS.audit.title} lead={WORDS.audit.lead}>
      <DataList
        label={WORDS.audit.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={WORDS.audit.emptyTitle} text={WORDS.audit.emptyText} icon={IconHistory} />}
        onClear={Object.keys(search).length > 0 ? () => void navigate({ search: {} }) : undefined}
        filters={
          <>
            <TextFilter
              label={WORDS.audit.operation}
              value={search.action}
              onChange={(action) => filter({ action })}
            />
            <TextFilter
              label={WORDS.audit.target}
              value={search.target}
              onChange={(target) => filter({ target })}
            />
          </>
        }
      />
    </Page>
  );
}

/** The columns; an operation or a target filters the list by itself. */
function columnsOf(filter: (part: AuditSearch) => void): Column<AuditEvent>[] {
  return [
    { id: 'at', label: 'Time', width: '150px', cell: ({ at }) => <Time at={at} as="short" /> },
    { id: 'actor', label: 'Who', width: 'minmax(120px, 1fr)', cell: ({ actorName }) => <b>{actorName}</b> },
    {
      id: 'action',
      label: 'Operation',
      width: 'minmax(180px, 1.4fr)',
      cell: ({ action, summary }) => (
        <Anchor component="button" size="sm" title={action} onClick={() => filter({ action })}>
          {summary ?? action}
        </Anchor>
      ),
    },
    {
      id: 'target',
      label: 'Target',
      width: 'minmax(140px, 1.2fr)',
      cell: ({ target }) =>
        target === null ? (
          '–'
        ) : (
          <Anchor component="button" size="sm" title={target} onClick={() => filter({ target })}>
            {target}
          </Anchor>
        ),
    },
    {
      id: 'change',
      label: 'Change',
      width: 'minmax(200px, 2fr)',
      cell: (event) => {
        const text = changeText(event);
        return text === '' ? '–' : <Change text={text} {...event} />;
      },
    },
    { id: 'address', label: 'Address', width: '130px', optional: 'hidden', cell: ({ address }) => address },
  ];
}

/** Characters of a change in its line. */
const MAX_LABEL = 120;

function changeText({ before, after }: Pick<AuditEvent, 'before' | 'after'>): string {
  return [before, after]
    .map((fields) => (fields ? listed(fields) : ''))
    .filter(Boolean)
    .join(' → ');
}

/** A change in one line, which opens the whole of it. */
function Change({ text, before, after }: Pick<AuditEvent, 'before' | 'after'> & { text: string }): ReactNode {
  return (
    <DialogButton
      label={text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text}
      title={WORDS.audit.change}
      variant="transparent"
      size="compact-sm"
      px={0}
      fw={400}
      maw="100%"
      styles={{
        label: {
          display: 'block',
          lineHeight: '24px',
          // Mantine trims the line of a block, which moves its text up
          textBoxTrim: 'none',
          paddingInlineStart: 2,
          textOverflow: 'ellipsis',
        },
      }}
      color="var(--mantine-color-text)"
    >
      {() => (
        <Stack gap="xs">
          {before && <Text fw={600}>{WORDS.audit.before}</Text>}
          {before && <JsonView value={before} label={WORDS.audit.before} />}
          {after && <Text fw={600}>{WORDS.audit.after}</Text>}
          {after && <JsonView value={after} label={WORDS.audit.after} />}
        </Stack>
      )}
    </DialogButton>
  );
}

function listed(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
