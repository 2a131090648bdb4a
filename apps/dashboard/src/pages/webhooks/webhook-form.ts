import { type UseFormReturnType, useForm } from '@mantine/form';
import { type WebhookValues, scheduleProblem } from './webhook-values.ts';

export type WebhookForm = UseFormReturnType<WebhookValues>;

/** The form of a configuration. The api checks its fields; only what it could not read is checked here. */
export function useWebhookForm(initialValues: WebhookValues): WebhookForm {
  return useForm<WebhookValues>({
    initialValues,
    validate: { schedule: (_, values) => scheduleProblem(values) },
  });
}
