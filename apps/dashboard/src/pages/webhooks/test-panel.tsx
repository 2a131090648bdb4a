import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconSend } from '@tabler/icons-react';
import { type WebhookTest, testWebhookSettings } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { FormFailure } from '../../parts/failure-alert.tsx';
import { fieldLabel, formErrorsOf } from './form-errors.ts';
import { failureText } from './reasons.ts';
import { RequestView } from './request-view.tsx';
import { Timings } from './timings.tsx';
import { type WebhookValues, bodyOf } from './webhook-values.ts';
import { WORDS } from './words.ts';

interface TestPanelProps {
  values: WebhookValues;
  messageId: string | undefined;
  /** Configuration whose secret signs the test; a new one otherwise. */
  webhookId?: string;
}

/** Sends a test with the settings of a form, saved or not, and shows what the endpoint answered. */
export function TestPanel({ values, messageId, webhookId }: TestPanelProps): ReactNode {
  const test = useAct(
    (given: WebhookValues) => {
      const { name: _, ...body } = bodyOf(given);
      return testWebhookSettings({
        body: {
          ...body,
          ...(messageId !== undefined && { messageId }),
          ...(webhookId !== undefined && { webhookId }),
        },
      });
    },
    { showsFailure: false },
  );
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <ActionButton
          variant="default"
          leftSection={<IconSend size={16} />}
          disabled={values.endPoint.trim() === ''}
          onAct={() => test.mutateAsync(values)}
        >
          {WORDS.sendTest}
        </ActionButton>
        <Text size="sm" c="dimmed" flex={1} miw={180}>
          {WORDS.testHint}
        </Text>
      </Group>
      {test.variables === values && <TestFailure failure={test.error} />}
      {test.data && <TestResult result={test.data.data} />}
    </Stack>
  );
}

function TestFailure({ failure }: { failure: ApiFailure | null }): ReactNode {
  const errors = failure ? formErrorsOf(failure) : {};
  return <FormFailure failure={failure} errors={errors} labelOf={fieldLabel} />;
}

/** The outcome of a test: sentence, timings, answer, and the request that was made. */
function TestResult({ result }: { result: WebhookTest }): ReactNode {
  const { ok, status, error, durationMs, timings, answer, request, secret } = result;
  return (
    <Stack gap="sm">
      <Alert
        color={ok ? 'teal' : 'red'}
        icon={ok ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}
        title={`${ok ? WORDS.testOk : WORDS.testFailed}${status === null ? '' : ` HTTP ${status}`}`}
        role="status"
      >
        <Stack gap="xs">
          {!ok && <Text size="sm">{failureText({ responseStatus: status, error })}</Text>}
          <Timings timings={timings} durationMs={durationMs} />
          <Text size="sm" fw={600}>
            {WORDS.answer}
          </Text>
          {answer === '' ? <Text size="sm">{WORDS.noAnswer}</Text> : <Code block>{answer}</Code>}
          {secret !== undefined && <Text size="xs">{WORDS.testSecret}</Text>}
        </Stack>
      </Alert>
      <RequestView call={request} label={WORDS.request} />
    </Stack>
  );
}
