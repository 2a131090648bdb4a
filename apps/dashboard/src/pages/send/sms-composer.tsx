import { Card, Stack } from '@mantine/core';
import { getSmsTemplate } from '@signalbox/client';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { recipientsOf } from '../../parts/recipients/recipients.ts';
import { ComposerColumns } from './composer-columns.tsx';
import { FromTemplate } from './from-template.tsx';
import { OptionsFields } from './options-fields.tsx';
import { RecipientsField } from './recipients-field.tsx';
import { SenderField } from './sender-field.tsx';
import { EMPTY_DRAFT, type SmsDraft } from './sms-draft.ts';
import { SmsSummary } from './sms-summary.tsx';
import { TemplateFields, withTemplate } from './template-fields.tsx';
import { TextFields } from './text-fields.tsx';
import { useComposed } from './use-composed.ts';

/** Fields of a request that the composer shows. */
const FIELDS = ['to', 'sender', 'text', 'sendAt', 'expiresAt', 'ratePerSecond', 'campaignName', 'clientRef'];

interface ComposerProps {
  /** Recipient to begin with. */
  to: string | undefined;
  /** Template to begin with. */
  templateId: string | undefined;
}

/** Composes an SMS: its recipients, its text and when to send it. */
export function SmsComposer({ to = '', templateId }: ComposerProps): ReactNode {
  if (templateId === undefined) return <Form first={{ ...EMPTY_DRAFT, typed: to }} />;
  return <FormOfTemplate key={templateId} id={templateId} to={to} />;
}

function FormOfTemplate({ id, to }: { id: string; to: string }): ReactNode {
  const template = useAnswer(['sms-templates', 'one', id], (signal) =>
    getSmsTemplate({ path: { id }, signal }),
  );
  return (
    <FromTemplate answer={template}>
      {(data) => <Form first={{ ...EMPTY_DRAFT, typed: to, ...withTemplate(data) }} />}
    </FromTemplate>
  );
}

function Form({ first }: { first: SmsDraft }): ReactNode {
  const { draft, isChanged, refusal, change } = useComposed(first, FIELDS);
  const { typed, file } = draft;
  const recipients = useMemo(() => recipientsOf({ typed, file }), [typed, file]);
  return (
    <ComposerColumns
      isChanged={isChanged}
      refusal={refusal}
      summary={<SmsSummary draft={draft} recipients={recipients} refusal={refusal} />}
    >
      <Card>
        <RecipientsField draft={draft} recipients={recipients} change={change} error={refusal.about('to')} />
      </Card>
      <Card>
        <Stack>
          <SenderField draft={draft} change={change} error={refusal.about('sender')} />
          <TemplateFields draft={draft} change={change} />
          <TextFields draft={draft} recipients={recipients} change={change} error={refusal.about('text')} />
        </Stack>
      </Card>
      <Card>
        <OptionsFields draft={draft} change={change} about={refusal.about} />
      </Card>
    </ComposerColumns>
  );
}
