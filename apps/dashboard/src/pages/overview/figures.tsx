import { Card, SimpleGrid, Text } from '@mantine/core';
import type { MessageCounts } from '@signalbox/client';
import type { ReactNode } from 'react';
import classes from './overview.module.css';
import { count, duration, share } from './numbers.ts';
import { useCodes, useCreditsToday, useLastHour } from './use-figures.ts';
import { WORDS } from './words.ts';

/** The figures of the last hour above those of the last day. */
export function Figures({ day }: { day: MessageCounts }): ReactNode {
  const hour = useLastHour().data?.total;
  const credits = useCreditsToday().data?.total;
  const codes = useCodes().data?.total;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="sm">
      <Figure
        name={WORDS.acceptedInHour}
        value={hour && count(hour.accepted)}
        day={inDay(count(day.accepted))}
      />
      <Figure
        name={WORDS.deliveredInHour}
        value={hour && count(hour.delivered)}
        day={inDay(`${count(day.delivered)} · ${share(day.delivered, day.delivered + day.failed)}`)}
      />
      <Figure
        name={WORDS.failedInHour}
        value={hour && count(hour.failed)}
        day={inDay(`${count(day.failed)} · ${share(day.failed, day.delivered + day.failed)}`)}
        isBad={hour !== undefined && hour.failed > 0}
      />
      <Figure
        name={WORDS.time}
        value={hour && `${duration(hour.p50Seconds)} / ${duration(hour.p95Seconds)}`}
        day={inDay(`${duration(day.p50Seconds)} / ${duration(day.p95Seconds)}`)}
        hint={WORDS.timeHint}
      />
      <Figure
        name={WORDS.credits}
        value={credits && count(credits.credits)}
        day={credits && `${count(credits.messages)} messages`}
      />
      <Figure
        name={WORDS.codes}
        value={codes && share(codes.verified, codes.sent)}
        day={codes && `${count(codes.verified)} of ${count(codes.sent)}`}
      />
    </SimpleGrid>
  );
}

const inDay = (value: string): string => `${WORDS.lastDay}: ${value}`;

interface FigureProps {
  name: string;
  /** Of the last hour. */
  value: string | undefined;
  /** Of the last day. */
  day: string | undefined;
  hint?: string;
  isBad?: boolean;
}

function Figure({ name, value, day, hint, isBad = false }: FigureProps): ReactNode {
  return (
    <Card padding="sm" title={hint ?? ''}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text className={classes['value']!} {...(isBad && { c: 'var(--sb-bad)' })}>
        {value ?? '–'}
      </Text>
      <Text size="xs" c="dimmed">
        {day ?? '–'}
      </Text>
    </Card>
  );
}
