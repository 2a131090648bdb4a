import { Card, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { FormFailure } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { FormButtons, type FormButtonsProps } from '../../parts/form-buttons.tsx';
import { whenValid } from '../../parts/when-valid.ts';
import { fieldLabel } from './form-errors.ts';
import { PreviewPanel, useLatestMessage } from './preview-panel.tsx';
import { TestPanel } from './test-panel.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import type { WebhookForm } from './webhook-form.ts';
import type { WebhookValues } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface WebhookFormPageProps {
  form: WebhookForm;
  onSave: (values: WebhookValues) => Promise<unknown>;
  failure: ApiFailure | null;
  verb: string;
  /** Page that cancelling leads to. */
  cancel: FormButtonsProps['cancel'];
  /** The stored configuration whose secret signs tests. */
  webhookId?: string;
}

/** The form of a configuration, next to the request that it makes and a test of it. */
export function WebhookFormPage(props: WebhookFormPageProps): ReactNode {
  const { form, onSave, failure, verb, cancel, webhookId } = props;
  const messageId = useLatestMessage(form.values.channel);
  return (
    <div className={classes['columns']}>
      <Card>
        <Form isChanged={form.isDirty()} onSubmit={whenValid(form, onSave)}>
          <Stack gap="lg">
            <WebhookFields form={form} isStored={webhookId !== undefined} />
            <FormFailure failure={failure} errors={form.errors} labelOf={fieldLabel} />
            <FormButtons verb={verb} cancel={cancel} />
          </Stack>
        </Form>
      </Card>
      <Stack className={classes['beside']!} gap="lg">
        <PreviewPanel values={form.values} messageId={messageId} />
        <TestPanel
          values={form.values}
          messageId={messageId}
          {...(webhookId !== undefined && { webhookId })}
        />
      </Stack>
    </div>
  );
}
