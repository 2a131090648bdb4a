import { Button, Group, Stack } from '@mantine/core';
import { createChatAccount } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Form } from '../../parts/form.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { type AccountDraft, AccountFields } from './account-fields.tsx';
import { WORDS } from './words.ts';

/** A button that creates a chat account and opens its page; nothing for those who may not. */
export function CreateAccount(): ReactNode {
  if (!useMay('manage')) return null;
  return (
    <DialogButton label={WORDS.create} leftSection={<IconPlus size={16} />}>
      {(close) => <CreateForm onLeave={close} />}
    </DialogButton>
  );
}

const EMPTY: AccountDraft = { name: '', sessionWindow: 'off' };

function CreateForm({ onLeave }: { onLeave: () => void }): ReactNode {
  const [draft, setDraft] = useState(EMPTY);
  const openNext = useNextPage();
  const create = useAct((body: AccountDraft, headers) => createChatAccount({ body, headers }), {
    changes: ['chat-accounts'],
    done: WORDS.created,
    showsFailure: false,
  });
  const submit = async () => {
    const { id } = (await create.mutateAsync(draft)).data;
    await openNext({ to: '/chat-accounts/$id', params: { id: String(id) } });
    onLeave();
  };
  return (
    <Form isChanged={draft !== EMPTY} onSubmit={submit}>
      <Stack>
        <AccountFields
          draft={draft}
          set={(change) => setDraft({ ...draft, ...change })}
          failure={create.error}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onLeave}>
            {WORDS.cancel}
          </Button>
          <SubmitButton disabled={draft.name.trim() === ''}>{WORDS.create}</SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
