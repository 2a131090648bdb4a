import { Card, Stack } from '@mantine/core';
import { createWebhook } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { formErrorsOf } from './form-errors.ts';
import { NewSecret } from './verification.tsx';
import { WebhookFormPage } from './webhook-form-page.tsx';
import { useWebhookForm } from './webhook-form.ts';
import { NEW_WEBHOOK, type WebhookValues, bodyOf } from './webhook-values.ts';
import { WORDS } from './words.ts';

/** Adds a configuration, then shows its secret once. */
export function AddWebhookPage(): ReactNode {
  const form = useWebhookForm(NEW_WEBHOOK);
  const create = useAct(
    (values: WebhookValues, headers) => createWebhook({ body: bodyOf(values), headers }),
    { changes: ['webhooks'], done: WORDS.created, showsFailure: false },
  );
  const created = create.data?.data;
  const save = (values: WebhookValues) =>
    create.mutateAsync(values, { onError: (failure) => form.setErrors(formErrorsOf(failure)) });
  return (
    <Page title={created ? created.name : WORDS.add} scope="webhooks">
      {created ? (
        <Card maw={820}>
          <Stack>
            <NewSecret secret={created.secret ?? ''} method={created.method} />
            <LinkButton w="fit-content" to="/webhooks/$webhookId" params={{ webhookId: created.id }}>
              {WORDS.toConfiguration}
            </LinkButton>
          </Stack>
        </Card>
      ) : (
        <WebhookFormPage
          form={form}
          onSave={save}
          failure={create.error}
          verb={WORDS.create}
          cancel={{ to: '/webhooks' }}
        />
      )}
    </Page>
  );
}
