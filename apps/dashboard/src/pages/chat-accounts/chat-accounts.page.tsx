import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ChatAccount, createChatAccount } from '@signalbox/client';
import { IconBuildingStore, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureText } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { type AccountDraft, AccountFields } from './account-fields.tsx';
import { useChatAccounts } from './use-chat-accounts.ts';
import { WORDS } from './words.ts';

const COLUMNS: readonly Column<ChatAccount>[] = [
  {
    id: 'name',
    label: WORDS.name,
    width: 'minmax(160px, 2fr)',
    cell: ({ name }) => <Text fw={600}>{name}</Text>,
  },
  { id: 'id', label: WORDS.id, width: '110px', cell: ({ id }) => id },
  {
    id: 'window',
    label: WORDS.window,
    width: 'minmax(200px, 1fr)',
    cell: ({ sessionWindow }) => WORDS.windows[sessionWindow],
  },
  { id: 'created', label: WORDS.createdAt, width: '130px', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The chat accounts of the account. */
export function ChatAccountsPage(): ReactNode {
  const list = useChatAccounts();
  const mayWrite = useMay('manage');
  return (
    <Page
      title={WORDS.title}
      lead={WORDS.lead}
      crumbs={[{ label: WORDS.crumb }]}
      actions={mayWrite && <CreateAccount />}
    >
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => String(id)}
        rowLink={({ id }) => ({ to: '/chat-accounts/$id', params: { id: String(id) } })}
        empty={<EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconBuildingStore} />}
      />
    </Page>
  );
}

function CreateAccount(): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [draft, setDraft] = useState<AccountDraft>({ name: '', sessionWindow: 'off' });
  const navigate = useNavigate();
  const create = useAct(() => createChatAccount({ body: draft }), {
    changes: ['chat-accounts'],
    done: WORDS.created,
    showsFailure: false,
  });
  const save = async (): Promise<void> => {
    const { data } = await create.mutateAsync();
    close();
    await navigate({ to: '/chat-accounts/$id', params: { id: String(data.id) } });
  };
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {WORDS.create}
      </Button>
      <Modal opened={isOpen} onClose={close} title={WORDS.create} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save().catch(() => undefined); // the fields show the failure
          }}
        >
          <Stack>
            <AccountFields
              draft={draft}
              set={(change) => setDraft({ ...draft, ...change })}
              failure={create.error}
            />
            {create.error && (
              <Alert color="red">
                <FailureText failure={create.error} />
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                {WORDS.cancel}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={draft.name.trim() === ''}>
                {WORDS.create}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
