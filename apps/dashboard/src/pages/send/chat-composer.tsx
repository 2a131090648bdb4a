import { Card, Loader, Select, Stack, TextInput } from '@mantine/core';
import type { Sender } from '@signalbox/client';
import type { ReactNode } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { onText } from '../../parts/on-text.ts';
import { useSenders } from '../senders/use-senders.ts';
import { type ChangeChat, type ChatDraft, type ChatDraftKind, EMPTY_CHAT } from './chat-draft.ts';
import { ChatSummary } from './chat-summary.tsx';
import { ChatTemplateFields } from './chat-template-fields.tsx';
import { ComposerColumns } from './composer-columns.tsx';
import { OptionsFields } from './options-fields.tsx';
import { SessionFields } from './session-fields.tsx';
import { useComposed } from './use-composed.ts';
import type { Refusal } from './use-refusal.ts';
import { KINDS, WORDS } from './words.ts';

/** Fields of a request that the composer shows. */
const FIELDS = ['from', 'to', 'sendAt', 'expiresAt', 'campaignName', 'clientRef'];

interface ComposerProps {
  to: string | undefined;
  templateName: string | undefined;
}

/** Composes a chat-app message to one recipient. */
export function ChatComposer({ to, templateName }: ComposerProps): ReactNode {
  const { data, error, refetch } = useSenders();
  if (error && !data) return <ErrorState failure={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader aria-label="Loading" />;
  const senders = data.filter(({ channel }) => channel === 'chatapp');
  if (senders.length === 0) return <EmptyState title={WORDS.noSenders} text={WORDS.noSendersText} />;
  return <Form senders={senders} to={to ?? ''} templateName={templateName} />;
}

interface FormProps {
  senders: readonly Sender[];
  to: string;
  templateName: string | undefined;
}

function Form({ senders, to, templateName }: FormProps): ReactNode {
  const first: ChatDraft = { ...EMPTY_CHAT, to, from: senders[0]?.sender ?? '' };
  const { draft, isChanged, refusal, begin, change } = useComposed(first, FIELDS);
  const sender = senders.find((each) => each.sender === draft.from);
  return (
    <ComposerColumns
      isChanged={isChanged}
      refusal={refusal}
      summary={<ChatSummary draft={draft} refusal={refusal} />}
    >
      <Card>
        <Stack gap="sm">
          <PartiesFields draft={draft} change={change} about={refusal.about} senders={senders} />
          {draft.kind === 'template' ? (
            <ChatTemplateFields
              draft={draft}
              change={change}
              begin={begin}
              chatAccountId={sender?.chatAccountId ?? undefined}
              firstName={templateName}
            />
          ) : (
            <SessionFields draft={draft} change={change} />
          )}
        </Stack>
      </Card>
      <Card>
        <OptionsFields draft={draft} change={change} about={refusal.about} hasPace={false} />
      </Card>
    </ComposerColumns>
  );
}

interface PartiesProps {
  draft: ChatDraft;
  change: ChangeChat;
  about: Refusal['about'];
  senders: readonly Sender[];
}

function PartiesFields({ draft, change, about, senders }: PartiesProps): ReactNode {
  return (
    <>
      <Select
        label={WORDS.from}
        error={about('from')}
        data={senders.map(({ sender, chatAccountName }) => ({
          value: sender,
          label: `${sender} · ${chatAccountName}`,
        }))}
        value={draft.from}
        allowDeselect={false}
        onChange={(from) => change({ from: from ?? '', template: undefined, params: [] })}
      />
      <TextInput
        label={WORDS.to}
        error={about('to')}
        placeholder="919812345678"
        inputMode="tel"
        value={draft.to}
        onChange={onText((to) => change({ to }))}
      />
      <Select
        label={WORDS.kind}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        value={draft.kind}
        allowDeselect={false}
        onChange={(kind) => change({ kind: kind as ChatDraftKind })}
      />
    </>
  );
}
