import { Alert, Card, Loader, Select, Stack, TextInput } from '@mantine/core';
import type { ChatTemplate, Sender } from '@signalbox/client';
import type { ReactNode } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { onText } from '../../parts/on-text.ts';
import { useSenders } from '../senders/use-senders.ts';
import { useTemplate } from '../templates/use-template.ts';
import { type ChangeChat, type ChatDraft, type ChatDraftKind, EMPTY_CHAT } from './chat-draft.ts';
import { ChatSummary } from './chat-summary.tsx';
import { ChatTemplateFields } from './chat-template-fields.tsx';
import { ComposerColumns } from './composer-columns.tsx';
import { FromTemplate } from './from-template.tsx';
import { OptionsFields } from './options-fields.tsx';
import { SessionFields } from './session-fields.tsx';
import { useComposed } from './use-composed.ts';
import type { Refusal } from './use-refusal.ts';
import { KINDS, WORDS } from './words.ts';

/** Fields of a request that the composer shows. */
const FIELDS = ['from', 'to', 'sendAt', 'expiresAt', 'campaignName', 'clientRef'];

interface ComposerProps {
  to: string | undefined;
  /** Template to begin with. */
  templateId: string | undefined;
}

/** Composes a chat-app message to one recipient. */
export function ChatComposer({ to = '', templateId }: ComposerProps): ReactNode {
  const { data, error, refetch } = useSenders();
  if (error && !data) return <ErrorState failure={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader aria-label="Loading" />;
  const senders = data.filter(({ channel }) => channel === 'chatapp');
  if (senders.length === 0) return <EmptyState title={WORDS.noSenders} text={WORDS.noSendersText} />;
  if (templateId === undefined) return <Form senders={senders} to={to} />;
  return <FormOfTemplate key={templateId} id={templateId} senders={senders} to={to} />;
}

function FormOfTemplate({ id, senders, to }: { id: string } & Omit<FormProps, 'template'>): ReactNode {
  return (
    <FromTemplate answer={useTemplate(id)}>
      {(template) => <Form senders={senders} to={to} template={template} />}
    </FromTemplate>
  );
}

interface FormProps {
  senders: readonly Sender[];
  to: string;
  template?: ChatTemplate | undefined;
}

function Form({ senders, to, template }: FormProps): ReactNode {
  const { draft, isChanged, refusal, change } = useComposed(firstOf({ senders, to, template }), FIELDS);
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
          {template && senderOf(template, senders) === undefined && (
            <Alert color="yellow">{WORDS.cannotSend(template.name)}</Alert>
          )}
          {draft.kind === 'template' ? (
            <ChatTemplateFields
              draft={draft}
              change={change}
              chatAccountId={sender?.chatAccountId ?? undefined}
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

/** The draft to begin with: with a template, from the first number that can send it. */
function firstOf({ senders, to, template }: FormProps): ChatDraft {
  const sender = template && senderOf(template, senders);
  return {
    ...EMPTY_CHAT,
    to,
    from: (sender ?? senders[0])?.sender ?? '',
    template: sender && template,
  };
}

/** The first number that can send a template; undefined also for one that is not approved. */
function senderOf({ status, chatAccountId }: ChatTemplate, senders: readonly Sender[]): Sender | undefined {
  if (status !== 'Approved') return undefined;
  return senders.find((sender) => sender.chatAccountId === chatAccountId);
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
