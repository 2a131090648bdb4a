import { Box, Card, Grid, Stack } from '@mantine/core';
import { getSmsTemplate } from '@signalbox/client';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { OptionsFields } from './options-fields.tsx';
import { RecipientsField } from './recipients-field.tsx';
import { SenderField } from './sender-field.tsx';
import { type ChangeDraft, EMPTY_DRAFT, type SmsDraft, recipientsOf } from './sms-draft.ts';
import { SmsSummary } from './sms-summary.tsx';
import { TemplateFields, withTemplate } from './template-fields.tsx';
import { TextFields } from './text-fields.tsx';

interface ComposerProps {
  /** Recipient to begin with. */
  to: string | undefined;
  /** Template to begin with. */
  templateId: string | undefined;
}

/** Composes an SMS: its recipients, its text and when to send it. */
export function SmsComposer({ to, templateId }: ComposerProps): ReactNode {
  const [draft, setDraft] = useState<SmsDraft>({ ...EMPTY_DRAFT, typed: to ?? '' });
  const change = useCallback<ChangeDraft>((given) => setDraft((before) => ({ ...before, ...given })), []);
  useFirstTemplate(templateId, change);
  const { typed, file } = draft;
  const recipients = useMemo(() => recipientsOf({ typed, file }), [typed, file]);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        <Stack>
          <Card>
            <RecipientsField draft={draft} recipients={recipients} change={change} />
          </Card>
          <Card>
            <Stack>
              <SenderField draft={draft} change={change} />
              <TemplateFields draft={draft} change={change} />
              <TextFields draft={draft} change={change} />
            </Stack>
          </Card>
          <Card>
            <OptionsFields draft={draft} change={change} />
          </Card>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <Box pos="sticky" top={76}>
          <SmsSummary draft={draft} recipients={recipients} />
        </Box>
      </Grid.Col>
    </Grid>
  );
}

/** Fills in the template that the address names. */
function useFirstTemplate(id: string | undefined, change: ChangeDraft): void {
  const { data } = useAnswer(
    ['sms-templates', 'one', id],
    (signal) => getSmsTemplate({ path: { id: id ?? '' }, signal }),
    { enabled: id !== undefined },
  );
  useEffect(() => {
    if (data) change(withTemplate(data));
  }, [data, change]);
}
