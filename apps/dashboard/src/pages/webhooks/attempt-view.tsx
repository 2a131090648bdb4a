import { Box, Card, Code, Group, Stack, Text } from '@mantine/core';
import type { DeliveryAttempt } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { failureText } from './reasons.ts';
import { HeaderLine } from './request-view.tsx';
import { Timings } from './timings.tsx';
import classes from './webhooks.module.css';
import { WORDS } from './words.ts';

/** One call: its outcome as a sentence, its timing, and for a failure its answer and the headers that were sent. */
export function AttemptView({ attempt, number }: { attempt: DeliveryAttempt; number: number }): ReactNode {
  const { at, responseStatus, error, durationMs, timings, answer, requestHeaders } = attempt;
  const isOk = error === null;
  return (
    <Card padding="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Text fw={600}>{`${WORDS.attempt} ${number}`}</Text>
            <Status status={statusText(responseStatus, error)} color={isOk ? 'teal' : 'red'} />
            <Text size="sm">{isOk ? '' : failureText(attempt)}</Text>
          </Group>
          <Text size="sm" c="dimmed">
            <Time at={at} as="full" />
          </Text>
        </Group>
        <Timings timings={timings} durationMs={durationMs} />
        {answer !== null && answer !== '' && (
          <div>
            <Text size="sm" fw={600}>
              {WORDS.answer}
            </Text>
            <Code block tabIndex={0} mah={240} style={{ overflow: 'auto' }}>
              {answer}
            </Code>
          </div>
        )}
        {requestHeaders !== null && (
          <div>
            <Text size="sm" fw={600}>
              {WORDS.requestHeaders}
            </Text>
            <Box className={classes['request']} role="region" aria-label={WORDS.requestHeaders} tabIndex={0}>
              {Object.entries(requestHeaders).map(([name, value]) => (
                <HeaderLine key={name} name={name} value={String(value)} />
              ))}
            </Box>
          </div>
        )}
      </Stack>
    </Card>
  );
}

function statusText(status: number | null, error: string | null): string {
  return status === null ? (error ?? '') : `HTTP ${status}`;
}
