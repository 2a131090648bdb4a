import { Anchor, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { type AuditEvent, listAuditEvents } from '@signalbox/client';
import { type ReactNode, useMemo, useState } from 'react';
import { useList } from '../../api/use-list.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

const TYPING_MS = 300;

/** The audit log of the account. */
export function AuditPage(): ReactNode {
  const [action, setAction] = useState('');
  const [target, setTarget] = useState('');
  const [filter] = useDebouncedValue({ action: action.trim(), target: target.trim() }, TYPING_MS);
  const list = useList(['audit', filter.action, filter.target], (cursor, signal) => {
    const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
    return listAuditEvents({ query: { ...wanted, cursor }, signal });
  });
  const columns = useMemo(() => columnsOf(setAction, setTarget), []);
  return (
    <Page title={WORDS.audit.title} lead={WORDS.audit.lead} crumbs={[{ label: 'Operations' }]}>
      <DataList
        label={WORDS.audit.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={WORDS.audit.emptyTitle} text={WORDS.audit.emptyText} icon={IconHistory} />}
        filters={
          <>
            <TextInput
              aria-label="Operation"
              placeholder="Operation, as revokeApiKey"
              value={action}
              onChange={({ currentTarget }) => setAction(currentTarget.value)}
            />
            <TextInput
              aria-label="Target"
              placeholder="Id of what was changed"
              value={target}
              onChange={({ currentTarget }) => setTarget(currentTarget.value)}
            />
          </>
        }
      />
    </Page>
  );
}

type Choose = (text: string) => void;

/** The columns; an operation or a target filters the list by itself. */
function columnsOf(chooseAction: Choose, chooseTarget: Choose): Column<AuditEvent>[] {
  return [
    { id: 'at', label: 'Time', width: '150px', cell: ({ at }) => <Time at={at} as="short" /> },
    { id: 'actor', label: 'Who', width: 'minmax(120px, 1fr)', cell: ({ actorName }) => <b>{actorName}</b> },
    {
      id: 'action',
      label: 'Operation',
      width: 'minmax(180px, 1.4fr)',
      cell: ({ action, summary }) => (
        <Anchor component="button" size="sm" title={action} onClick={() => chooseAction(action)}>
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
          <Anchor component="button" size="sm" title={target} onClick={() => chooseTarget(target)}>
            {target}
          </Anchor>
        ),
    },
    {
      id: 'change',
      label: 'Change',
      width: 'minmax(200px, 2fr)',
      cell: ({ before, after }) => <Change before={before} after={after} />,
    },
    { id: 'address', label: 'Address', width: '130px', optional: 'hidden', cell: ({ address }) => address },
  ];
}

function Change({ before, after }: Pick<AuditEvent, 'before' | 'after'>): ReactNode {
  const text = [before, after]
    .map((fields) => (fields ? listed(fields) : ''))
    .filter(Boolean)
    .join(' → ');
  return (
    <Text size="sm" truncate title={text}>
      {text || '–'}
    </Text>
  );
}

function listed(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
