import { Group, Stack, Text } from '@mantine/core';
import { getGatewayState } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { KeyValueRows } from '../../parts/key-value-rows.tsx';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS, settingLabel } from './words.ts';

/** The state of a gateway in each worker, with the figures of its kind: window, binds, pace. */
export function Workers({ name }: { name: string }): ReactNode {
  const state = useAnswer(
    ['gateways', name, 'state'],
    (signal) => getGatewayState({ path: { name }, signal }),
    {
      live: ['gateway'],
    },
  );
  if (!state.data) return null;
  const { workers } = state.data;
  return (
    <Section title={WORDS.workers}>
      {workers.length === 0 && <Text c="dimmed">{WORDS.noWorkers}</Text>}
      <Stack gap="lg">
        {workers.map(({ workerId, status, reason, since, detail }) => (
          <div key={workerId}>
            <Group gap="sm">
              <Status status={status} />
              <Text fw={600}>{reason}</Text>
              <Text size="sm" c="dimmed">
                <Time at={since} />
              </Text>
            </Group>
            <KeyValueRows
              facts={Object.entries(detail).map(
                ([key, value]) => [settingLabel(key), figureText(value)] as const,
              )}
            />
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function figureText(value: unknown): string {
  if (value === null) return WORDS.none;
  if (typeof value === 'boolean') return value ? WORDS.yes : WORDS.no;
  if (typeof value === 'number') return value.toLocaleString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
