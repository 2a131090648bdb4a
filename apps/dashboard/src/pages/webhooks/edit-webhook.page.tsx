import { type Webhook, changeWebhook, getWebhook } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { formErrorsOf } from './form-errors.ts';
import { WebhookFormPage } from './webhook-form-page.tsx';
import { useWebhookForm } from './webhook-form.ts';
import { type WebhookValues, bodyOf, valuesOf } from './webhook-values.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/webhooks/$webhookId/edit');

/** Changes a configuration. */
export function EditWebhookPage(): ReactNode {
  const { webhookId } = route.useParams();
  const webhook = useAnswer(['webhooks', webhookId], (signal) =>
    getWebhook({ path: { id: webhookId }, signal }),
  );
  const title = webhook.data ? `${WORDS.edit} ${webhook.data.name}` : WORDS.edit;
  return (
    <Page
      title={title}
      parent={
        webhook.data && {
          label: webhook.data.name,
          to: '/webhooks/$webhookId',
          params: { webhookId },
        }
      }
      scope="webhooks"
    >
      <Loaded answer={webhook} height={420}>
        {(data) => <EditForm key={data.id} webhook={data} />}
      </Loaded>
    </Page>
  );
}

function EditForm({ webhook }: { webhook: Webhook }): ReactNode {
  const { id } = webhook;
  const form = useWebhookForm(valuesOf(webhook));
  const openNext = useNextPage();
  const change = useAct(
    (values: WebhookValues) => {
      const body = changedFields(bodyOf(form.getInitialValues()), bodyOf(values));
      return changeWebhook({ path: { id }, body });
    },
    { changes: ['webhooks'], done: WORDS.saved, showsFailure: false },
  );
  const save = async (values: WebhookValues) => {
    await change.mutateAsync(values, { onError: (failure) => form.setErrors(formErrorsOf(failure)) });
    await openNext({ to: '/webhooks/$webhookId', params: { webhookId: id } });
  };
  return (
    <WebhookFormPage
      form={form}
      onSave={save}
      failure={change.error}
      verb={WORDS.save}
      webhookId={id}
      cancel={{ to: '/webhooks/$webhookId', params: { webhookId: id } }}
    />
  );
}
