import { Code, Group, Text } from '@mantine/core';
import { type ApiKey, listApiKeys } from '@signalbox/client';
import { SCOPES } from '@signalbox/domain/scope';
import { IconKey } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { CopyIcon } from '../../parts/copyable.tsx';
import { curlOf } from '../../parts/curl.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyActions } from './key-actions.tsx';
import { WORDS } from './words.ts';

/** The API keys of the account. */
export function ApiKeysPage(): ReactNode {
  const list = useList(['api-keys'], (cursor, signal) => listApiKeys({ query: { cursor }, signal }));
  const [shownKey, setShownKey] = useState<string>();
  const columns = useMemo(() => columnsOf(setShownKey), []);
  return (
    <Page
      title={WORDS.keys.title}
      lead={WORDS.keys.lead}
      actions={useMay('manage') && <CreateKey onKey={setShownKey} />}
    >
      <SecretDialog title={WORDS.keys.created} onClose={() => setShownKey(undefined)}>
        {shownKey !== undefined && <NewKey apiKey={shownKey} />}
      </SecretDialog>
      <DataList
        label={WORDS.keys.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={WORDS.keys.emptyTitle} text={WORDS.keys.emptyText} icon={IconKey} />}
      />
    </Page>
  );
}

/** A key that is shown once, with a command that tries it. */
function NewKey({ apiKey }: { apiKey: string }): ReactNode {
  const command = `export SIGNALBOX_API_KEY=${apiKey}\n${curlOf({ path: '/v1/me' }, location.origin)}`;
  return (
    <>
      <Secret value={apiKey} label="API key" />
      <div>
        <Group justify="space-between" mb={4} wrap="nowrap">
          <Text size="sm">{WORDS.keys.tryIt}</Text>
          <CopyIcon text={command} label="command" />
        </Group>
        <Code block tabIndex={0}>
          {command}
        </Code>
      </div>
    </>
  );
}

function columnsOf(onKey: (key: string) => void): Column<ApiKey>[] {
  return [
    { id: 'name', label: 'Name', width: 'minmax(136px, 1.8fr)', cell: ({ name }) => <b>{name}</b> },
    { id: 'key', label: 'Key', width: '128px', cell: ({ prefix, last4 }) => `${prefix}…${last4}` },
    { id: 'status', label: 'Status', width: '80px', cell: ({ status }) => <Status status={status} /> },
    {
      id: 'scopes',
      label: 'Scopes',
      width: 'minmax(104px, 1.5fr)',
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesText(scopes)}</span>,
    },
    {
      id: 'by',
      label: 'Created by',
      width: 'minmax(84px, 0.7fr)',
      optional: 'hidden',
      cell: ({ createdBy, createdByName }) => createdByName ?? (createdBy === null ? 'A tool' : 'Deleted'),
    },
    {
      id: 'used',
      label: 'Last used',
      width: '100px',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
    },
    {
      id: 'expires',
      label: 'Expires',
      width: '132px',
      optional: 'shown',
      cell: ({ expiresAt }) => (expiresAt === null ? 'Never' : <Time at={expiresAt} as="short" />),
    },
    {
      id: 'act',
      label: 'Actions',
      isAction: true,
      width: '160px',
      cell: (key) => <KeyActions apiKey={key} onKey={onKey} />,
    },
  ];
}

function scopesText(scopes: readonly string[]): string {
  return scopes.length === SCOPES.length ? WORDS.keys.allScopes : scopes.join(', ');
}
