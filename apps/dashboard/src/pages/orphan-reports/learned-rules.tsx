import { Card, Stack, Text, Title } from '@mantine/core';
import type { Gateway } from '@signalbox/client';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

/** The rules that gateways learned; the page of a gateway revokes its rule. */
export function LearnedRules({ gateways }: { gateways: readonly Gateway[] }): ReactNode {
  const learned = gateways.filter(({ idRule }) => idRule !== null);
  if (learned.length === 0) return null;
  return (
    <Card>
      <Title order={2}>{WORDS.rules}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {WORDS.rulesHint}
      </Text>
      <Stack gap="xs">
        {learned.map(({ name, idRule }) => (
          <Text key={name} size="sm">
            <TextLink to="/gateways/$name" params={{ name }}>
              {name}
            </TextLink>
            {`: ${idRule?.description ?? ''} `}
            {idRule && <Time at={idRule.learnedAt} />}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}
