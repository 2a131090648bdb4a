import { Button, Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { useMay, useSession } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

const CHANGES = { changes: ['api-keys'] };

/** A failure shows itself. */
const ignore = (): void => undefined;

/** The API keys of the account. */
export function ApiKeysPage(): ReactNode {
  const list = useList(['api-keys'], (cursor, signal) => listApiKeys({ query: { cursor }, signal }));
  const [shownKey, setShownKey] = useState<string>();
  const add = useMay('manage') && <CreateKey onCreated={setShownKey} />;
  return (
    <Page
      title={WORDS.keys.title}
      lead={WORDS.keys.lead}
      crumbs={[{ label: 'Utility Manager' }]}
      actions={add}
    >
      <Stack>
        {shownKey !== undefined && <Secret value={shownKey} label="API key" />}
        <DataList
          label={WORDS.keys.title}
          list={list}
          columns={columnsOf(setShownKey)}
          rowKey={({ id }) => id}
          empty={<EmptyState title={WORDS.keys.emptyTitle} text={WORDS.keys.emptyText} icon={IconKey} />}
        />
      </Stack>
    </Page>
  );
}

function columnsOf(onRotated: (key: string) => void): Column<ApiKey>[] {
  return [
    { id: 'name', label: 'Name', width: 'minmax(150px, 1.8fr)', cell: ({ name }) => <b>{name}</b> },
    { id: 'key', label: 'Key', width: '128px', cell: ({ prefix, last4 }) => `${prefix}…${last4}` },
    { id: 'status', label: 'Status', width: '80px', cell: ({ status }) => <Status status={status} /> },
    {
      id: 'scopes',
      label: 'Scopes',
      width: 'minmax(110px, 1.5fr)',
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopes.join(', ')}</span>,
    },
    {
      id: 'by',
      label: 'Created by',
      width: 'minmax(84px, 0.7fr)',
      optional: 'shown',
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
      width: '110px',
      optional: 'shown',
      cell: ({ expiresAt }) => (expiresAt === null ? 'Never' : <Time at={expiresAt} as="short" />),
    },
    {
      id: 'act',
      label: 'Actions',
      width: '190px',
      cell: (key) => <KeyActions apiKey={key} onRotated={onRotated} />,
    },
  ];
}

function KeyActions({
  apiKey: { id, name, status },
  onRotated,
}: {
  apiKey: ApiKey;
  onRotated: (key: string) => void;
}): ReactNode {
  const revoke = useAct(() => revokeApiKey({ path: { id } }), { ...CHANGES, done: 'The key was revoked.' });
  const rotate = useAct(() => rotateApiKey({ path: { id }, body: { overlapHours: 24 } }), CHANGES);
  if (status === 'revoked' || status === 'expired') return null;
  return (
    <Group gap={6} wrap="nowrap">
      {status === 'active' && (
        <ConfirmButton
          size="compact-sm"
          color="signal"
          question={`Rotate the key "${name}"?`}
          consequence="You get a new key with the same scopes. The old one works for 24 hours more."
          onConfirm={async () => onRotated((await rotate.mutateAsync()).data.key)}
        >
          Rotate
        </ConfirmButton>
      )}
      <ConfirmButton
        size="compact-sm"
        question={`Revoke the key "${name}"?`}
        consequence="Programs that use it are refused within a second. This cannot be undone."
        onConfirm={() => revoke.mutateAsync()}
      >
        Revoke
      </ConfirmButton>
    </Group>
  );
}

function CreateKey({ onCreated }: { onCreated: (key: string) => void }): ReactNode {
  return (
    <DialogButton label={WORDS.keys.add} leftSection={<IconPlus size={16} />}>
      {(close) => (
        <KeyForm
          onCreated={(key) => {
            onCreated(key);
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

function KeyForm({ onCreated }: { onCreated: (key: string) => void }): ReactNode {
  const { scopes: own } = useSession();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['send']);
  const [isTest, setTest] = useState(false);
  const create = useAct(
    () => createApiKey({ body: { name, scopes: scopes as ApiKey['scopes'], test: isTest } }),
    CHANGES,
  );
  // also when the dialog was closed meanwhile: the key is shown only once
  const submit = () => create.mutateAsync().then(({ data }) => onCreated(data.key), ignore);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="The program that uses it"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={100}
          required
          data-autofocus
        />
        <Checkbox.Group label="Scopes" value={scopes} onChange={setScopes}>
          <Stack gap={6} mt={6}>
            {own.map((scope) => (
              <Checkbox key={scope} value={scope} label={scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Switch
          label="Test key"
          description="May ask for codes to test numbers"
          checked={isTest}
          onChange={({ currentTarget }) => setTest(currentTarget.checked)}
        />
        {scopes.length === 0 && (
          <Text size="sm" c="red">
            Choose at least one scope.
          </Text>
        )}
        <Button type="submit" loading={create.isPending} disabled={scopes.length === 0}>
          {WORDS.keys.add}
        </Button>
      </Stack>
    </form>
  );
}
