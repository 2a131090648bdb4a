import { Card, Skeleton, Text, Title } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import type { MessageStatSeries } from '@signalbox/client';
import { ENDINGS } from '@signalbox/domain/ending';
import { ERR_CODES } from '@signalbox/domain/err-codes';
import type { ReactNode } from 'react';
import { FailureText } from '../../parts/error-state.tsx';
import { TextLink } from '../../parts/links.tsx';
import { CHANNEL_CHOICES } from '../../parts/channel-name.ts';
import { count } from './numbers.ts';
import classes from './overview.module.css';
import { type Split, useLastDay } from './use-figures.ts';
import { WORDS } from './words.ts';

/** A group and its count. */
interface Bar {
  label: string;
  value: number;
  /** The errCode whose messages the label leads to. */
  errCode?: string;
}

/** The last day by channel, or its failures by errCode, as bars. Read once it is in view. */
export function Breakdown({ by }: { by: Split }): ReactNode {
  const { ref, inViewport } = useInViewport();
  const { data, error } = useLastDay(by, inViewport);
  return (
    <Card h="100%" ref={ref}>
      <Title order={2} mb="xs">
        {by === 'channel' ? WORDS.channels : WORDS.failures}
      </Title>
      {error && !data && <FailureText failure={error} />}
      {!data && !error && <Skeleton height={90} visible={inViewport} />}
      {data && <Bars by={by} bars={barsOf(by, data.series)} />}
    </Card>
  );
}

function Bars({ by, bars }: { by: Split; bars: readonly Bar[] }): ReactNode {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  if (bars.length === 0) return <Text c="dimmed">{WORDS.noFailures}</Text>;
  return (
    <div className={classes['bars']} data-kind={by}>
      {bars.map(({ label, value, errCode }) => (
        <div key={label} className={classes['bar']}>
          <span className={classes['name']} title={label}>
            {errCode === undefined ? (
              label
            ) : (
              <TextLink to="/messages" search={{ errCode, last: '24h' }} c="inherit">
                {label}
              </TextLink>
            )}
          </span>
          <span className={classes['track']} data-testid="track" aria-hidden>
            <div className={classes['fill']} style={{ width: `${(100 * value) / highest}%` }} />
          </span>
          <span className={classes['number']}>{count(value)}</span>
        </div>
      ))}
    </div>
  );
}

function barsOf(by: Split, series: readonly MessageStatSeries[]): Bar[] {
  return series
    .filter(({ group, isRest }) => group !== null || isRest)
    .map(({ group, isRest, total }) => ({
      label: labelOf(by, isRest ? null : group),
      value: by === 'channel' ? total.accepted : total.failed,
      ...(by === 'errCode' && group !== null && { errCode: group }),
    }))
    .filter(({ value }) => value > 0);
}

/** Meanings of the errCodes of gateways, and of those of messages that Signalbox ended. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ERR_CODES),
  ...Object.values(ENDINGS).map(({ errCode, description }) => [errCode, description] as const),
]);

function labelOf(by: Split, group: string | null): string {
  if (group === null) return 'Others';
  if (by === 'channel') return CHANNEL_CHOICES.find(({ value }) => value === group)?.label ?? group;
  const meaning = MEANINGS.get(group);
  return meaning === undefined ? `errCode ${group}` : `${group} · ${meaning.replace(/\.$/, '')}`;
}
