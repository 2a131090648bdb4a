import { Group, Stack, TextInput } from '@mantine/core';
import { type ChatAccount, changeChatAccount, deleteChatAccount, getChatAccount } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { DeleteButton } from '../../parts/delete-button.tsx';
import { FieldGroup } from '../../parts/field-group.tsx';
import { Form } from '../../parts/form.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { LoadedPage } from '../../parts/loaded-page.tsx';
import { onText } from '../../parts/on-text.ts';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { type AccountDraft, AccountFields } from './account-fields.tsx';
import { Senders } from './senders.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/chat-accounts/$id');

/** One chat account: its settings and its numbers. */
export function ChatAccountPage(): ReactNode {
  const { id } = route.useParams();
  const account = useAnswer(['chat-accounts', 'one', id], (signal) =>
    getChatAccount({ path: { id: Number(id) }, signal }),
  );
  return (
    <LoadedPage answer={account} height={320} title={WORDS.account}>
      {(data) => (
        <Page title={data.name} lead={`${WORDS.id} ${id}`} actions={<Actions account={data} />}>
          <Stack gap="md">
            <Settings key={data.id} account={data} />
            <Senders id={Number(id)} />
          </Stack>
        </Page>
      )}
    </LoadedPage>
  );
}

function Actions({ account: { id, name } }: { account: ChatAccount }): ReactNode {
  const mayWrite = useMay('manage');
  const [typed, setTyped] = useState('');
  return (
    <>
      <LinkButton variant="default" to="/templates" search={{ chatAccountId: String(id) }}>
        {WORDS.templates}
      </LinkButton>
      {mayWrite && (
        <DeleteButton
          area="chat-accounts"
          onDelete={() => deleteChatAccount({ path: { id } })}
          done={WORDS.deleted}
          question={WORDS.deleteQuestion(name)}
          consequence={WORDS.deleteText}
          isReady={typed === name}
          fields={<TextInput label={WORDS.deleteType(name)} value={typed} onChange={onText(setTyped)} />}
        >
          {WORDS.delete}
        </DeleteButton>
      )}
    </>
  );
}

function Settings({ account }: { account: ChatAccount }): ReactNode {
  const mayWrite = useMay('manage');
  const { id } = account;
  const { saved, draft, isChanged, set, keep } = useDraft(draftOf(account));
  const save = () => changeChatAccount({ path: { id }, body: changedFields(saved, draft) });
  const change = useAct(save, { changes: ['chat-accounts'], done: WORDS.saved, showsFailure: false });
  const submit = () => change.mutateAsync(undefined, { onSuccess: ({ data }) => keep(draft, draftOf(data)) });
  return (
    <Section title={WORDS.settings}>
      <Form isChanged={isChanged} onSubmit={submit}>
        <FieldGroup readOnly={!mayWrite}>
          <Stack gap="sm" maw={520}>
            <AccountFields draft={draft} set={set} failure={change.error} />
            {mayWrite && (
              <Group>
                <SubmitButton disabled={!isChanged}>{WORDS.save}</SubmitButton>
              </Group>
            )}
          </Stack>
        </FieldGroup>
      </Form>
    </Section>
  );
}

function draftOf({ name, sessionWindow }: ChatAccount): AccountDraft {
  return { name, sessionWindow };
}
