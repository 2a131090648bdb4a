import { SimpleGrid } from '@mantine/core';
import type { MessageCounts } from '@signalbox/client';
import type { ReactNode } from 'react';
import { durations } from '../../parts/duration.ts';
import { Figure } from '../../parts/figure.tsx';
import { TextLink } from '../../parts/links.tsx';
import { share } from '../../parts/percent.ts';
import { count } from './numbers.ts';
import { useCodes, useLastHour } from './use-figures.ts';
import { WORDS } from './words.ts';

/** The figures of the last hour above those of the last day. */
export function Figures({ day }: { day: MessageCounts }): ReactNode {
  const hour = useLastHour().data?.total;
  const codes = useCodes().data?.total;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="sm">
      <Figure
        label={WORDS.acceptedInHour}
        value={hour && count(hour.accepted)}
        detail={inDay(count(day.accepted))}
      />
      <Figure
        label={WORDS.deliveredInHour}
        value={hour && count(hour.delivered)}
        detail={inDay(`${count(day.delivered)} · ${share(day.delivered, day.delivered + day.failed)}`)}
      />
      <Figure
        label={
          <TextLink inherit to="/messages" search={{ status: 'Failed', last: '1h' }}>
            {WORDS.failedInHour}
          </TextLink>
        }
        value={hour && count(hour.failed)}
        detail={inDay(`${count(day.failed)} · ${share(day.failed, day.delivered + day.failed)}`)}
        isBad={hour !== undefined && hour.failed > 0}
      />
      <Figure
        label={WORDS.time}
        value={hour && durations(hour)}
        detail={inDay(durations(day))}
        hint={WORDS.timeHint}
      />
      <Figure label={WORDS.credits} value={hour && count(hour.credits)} detail={inDay(count(day.credits))} />
      <Figure
        label={WORDS.codes}
        value={codes && share(codes.verified, codes.sent)}
        detail={codes && `${count(codes.verified)} of ${count(codes.sent)} ${WORDS.sinceYesterday}`}
      />
    </SimpleGrid>
  );
}

const inDay = (value: string): string => `${WORDS.lastDay}: ${value}`;
