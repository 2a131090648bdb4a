import { Alert, SegmentedControl, Select, Stack, TextInput, Textarea } from '@mantine/core';
import { type ChatTemplate, sendChatMessage, sendSms } from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import { compileTemplate } from '@signalbox/domain/chat/template';
import type { TemplateComponent } from '@signalbox/domain/templates/template';
import { type ReactNode, useState } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';
import type { KeyHeader } from '../../api/use-key.ts';
import { useMay } from '../../app/use-session.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { useChoices } from '../../parts/use-choices.ts';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { useSenders } from '../senders/use-senders.ts';
import { useApprovedTemplates } from '../templates/use-approved-templates.ts';
import { WORDS } from './words.ts';

interface ReplyFieldsProps {
  sender: string;
  recipient: string;
  channel: Channel;
  /** False when the session window is closed. */
  isOpen: boolean;
}

type Sending = { text: string } | { template: ChatTemplate; params: string[] };

/** Answers with a message, or with a template when the session window is closed. */
export function ReplyFields(props: ReplyFieldsProps): ReactNode {
  const { channel, isOpen } = props;
  const mayUseTemplates = useMay('templates');
  const [mode, setMode] = useState(isOpen ? 'text' : 'template');
  const send = useAct((given: Sending, headers) => call(props, given, headers), {
    changes: ['conversations'],
    done: WORDS.sent,
    showsFailure: false,
  });
  const isTemplate = channel === 'chatapp' && mayUseTemplates && mode === 'template';
  return (
    <Stack gap="xs" mt="sm" maw={340} mx="auto">
      {channel === 'chatapp' && mayUseTemplates && (
        <SegmentedControl
          data={[
            { value: 'text', label: WORDS.sessionMessage },
            { value: 'template', label: WORDS.template },
          ]}
          value={mode}
          onChange={setMode}
        />
      )}
      {isTemplate ? (
        <TemplateReply sender={props.sender} onSend={(given) => send.mutateAsync(given)} />
      ) : (
        <TextReply failure={send.error} onSend={(text) => send.mutateAsync({ text })} />
      )}
      {isTemplate && <FailureAlert failure={send.error} />}
    </Stack>
  );
}

function call(
  { sender, recipient, channel }: ReplyFieldsProps,
  given: Sending,
  headers: KeyHeader,
): ClientResult<unknown> {
  const to = recipient;
  if ('template' in given) {
    const { name, language } = given.template;
    const components = { body: { params: given.params } };
    return sendChatMessage({
      headers,
      body: {
        from: sender,
        to,
        type: 'template',
        templateName: name,
        language: { code: language },
        components,
      },
    });
  }
  if (channel === 'sms') return sendSms({ headers, body: { sender, to, text: given.text, type: 'TRANS' } });
  return sendChatMessage({ headers, body: { from: sender, to, type: 'text', text: { body: given.text } } });
}

interface TextReplyProps {
  failure: ApiFailure | null;
  onSend: (text: string) => Promise<unknown>;
}

function TextReply({ failure, onSend }: TextReplyProps): ReactNode {
  const [text, setText] = useState('');
  const { about, shown } = useFieldErrors(failure, { text });
  return (
    <Form
      isChanged={text !== ''}
      onSubmit={() => onSend(text).then(() => setText((now) => (now === text ? '' : now)))}
    >
      <Stack gap="xs">
        <Textarea
          aria-label={WORDS.body}
          autosize
          minRows={2}
          maxLength={1024}
          value={text}
          error={about('text') ?? about('text.body')}
          onChange={onText(setText)}
        />
        <SubmitButton disabled={text.trim() === ''}>{WORDS.send}</SubmitButton>
        <FailureAlert failure={shown} />
      </Stack>
    </Form>
  );
}

interface TemplateReplyProps {
  sender: string;
  onSend: (given: Extract<Sending, { template: ChatTemplate }>) => Promise<unknown>;
}

function TemplateReply({ sender, onSend }: TemplateReplyProps): ReactNode {
  const [id, setId] = useState<string | null>(null);
  const [params, setParams] = useState<string[]>([]);
  const senders = useSenders();
  const from = senders.data?.find((each) => each.channel === 'chatapp' && each.sender === sender);
  const templates = useApprovedTemplates(from?.chatAccountId ?? undefined);
  const { rows, readAll } = useChoices(templates);
  const usable = rows.filter(isPlain);
  const isRead = !templates.isLoading && !templates.hasMore && !templates.unread;
  const template = usable.find((each) => each.id === id);
  const numbers = Array.from({ length: template ? compiled(template).paramCount : 0 }, (_, i) => i);
  if (senders.data && !from) return <Alert color="gray">{WORDS.noSender(sender)}</Alert>;
  if (from && isRead && usable.length === 0) return <Alert color="gray">{WORDS.noTemplates}</Alert>;
  return (
    <Form
      isChanged={params.some((each) => each !== '')}
      onSubmit={async () => {
        if (!template) return;
        await onSend({ template, params: numbers.map((i) => params[i] ?? '') });
        setParams([]);
      }}
    >
      <Stack gap="xs">
        <Select
          label={WORDS.templateName}
          searchable
          data={usable.map((each) => ({ value: each.id, label: `${each.name} (${each.language})` }))}
          value={id}
          error={(senders.error ?? templates.failure)?.message}
          onDropdownOpen={readAll}
          onChange={setId}
        />
        {numbers.map((i) => (
          <TextInput
            key={i}
            label={WORDS.values(i + 1)}
            required
            value={params[i] ?? ''}
            onChange={onText((value) => setParams(Object.assign([...params], { [i]: value })))}
          />
        ))}
        <SubmitButton disabled={!template}>{WORDS.send}</SubmitButton>
      </Stack>
    </Form>
  );
}

function compiled({ category, components, code_expiration_minutes: minutes }: ChatTemplate) {
  return compileTemplate({
    category,
    components: components as TemplateComponent[],
    allowCategoryChange: false,
    codeExpirationMinutes: minutes ?? null,
  });
}

/** True for a template that needs values of its text only: no code, no file, no value in its header. */
function isPlain(template: ChatTemplate): boolean {
  const { header, carriesCode } = compiled(template);
  return !carriesCode && (header === undefined || (header.type === 'text' && !header.isFilled));
}
