import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { listIntervals, listSeries } from './series.ts';

const QUARTER_MS = 15 * 60_000;

const { db } = await openSharedRows();

/** Ranges around changes of the clock, by zone. */
const CHANGES = [
  // from 0:00 to 1:00, and from 1:00 back to 0:00
  ['America/Havana', '2026-03-05', '2026-03-12'],
  ['America/Havana', '2026-03-08T05:00:00Z', '2026-03-12'],
  ['America/Havana', '2026-10-29', '2026-11-05'],
  ['America/Havana', '2026-11-01T04:30:00Z', '2026-11-05'],
  ['America/Havana', '2026-11-01T04:15:00Z', '2026-11-01T04:45:00Z'],
  ['Atlantic/Azores', '2026-03-26', '2026-04-01'],
  ['Atlantic/Azores', '2026-10-22', '2026-10-29'],
  // from 0:00 to 1:00, and from 0:00 back to 23:00
  ['Africa/Cairo', '2026-04-22', '2026-04-28'],
  ['Africa/Cairo', '2026-10-28', '2026-11-03'],
  ['America/Santiago', '2026-04-02', '2026-04-09'],
  ['America/Santiago', '2026-09-03', '2026-09-10'],
  // at other times of the day
  ['America/New_York', '2026-10-30', '2026-11-04'],
  ['Australia/Lord_Howe', '2026-04-03', '2026-04-08'],
] as const;

test.each(CHANGES)('each day of %s has the messages of its date, from %s to %s', async (zone, begin, end) => {
  const accountId = randomUUIDv7();
  const [from, to] = [new Date(begin), new Date(end)];
  await db.query(
    `INSERT INTO message_stat_quarter (account_id, at, channel, gateway, sender, outcome, err_code, latency, messages, credits)
     SELECT $1, at, 'sms', '', '', 'accepted', '', 0, 1, 1
       FROM generate_series($2::timestamptz - interval '2 days', $3::timestamptz, interval '15 minutes') AS at`,
    [accountId, from, to],
  );

  const { intervals } = await listIntervals(db, { from, to, step: 'day', zone });
  const filter = { from: intervals[0]!, to, intervals, source: 'quarter' as const };
  const counts = await listSeries(db, accountId, filter);

  const dateOf = dateIn(zone);
  const expected = quartersByDate(dateOf, from, to);
  expect(new Map(counts.map(({ at, messages }) => [dateOf(at), messages]))).toEqual(expected);
  expect(counts).toHaveLength(expected.size);
});

test.each([
  ['2026-04-04T13:10:00Z', '2026-04-04T17:10:00Z', ['13:00', '14:00', '14:30', '15:30', '16:30']],
  ['2026-10-03T13:40:00Z', '2026-10-03T17:10:00Z', ['13:30', '14:30', '15:00', '16:00', '17:00']],
])(
  'hours begin at a full hour after a clock changes by half an hour, from %s',
  async (from, to, expected) => {
    const { intervals } = await listIntervals(db, {
      from: new Date(from),
      to: new Date(to),
      step: 'hour',
      zone: 'Australia/Lord_Howe',
    });

    expect(intervals.map((at) => at.toISOString().slice(11, 16))).toEqual(expected);
  },
);

test.each([
  ['minute', 'UTC', '2026-11-30T18:30:30Z', '2026-11-30T18:31:00Z'],
  ['hour', 'UTC', '2026-11-30T18:30:00Z', '2026-11-30T19:00:00Z'],
  ['hour', 'Asia/Kolkata', '2026-11-30T18:30:00Z', '2026-11-30T18:30:00Z'],
  ['hour', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z', '2026-04-04T15:30:00Z'],
  ['day', 'UTC', '2026-11-30T18:30:00Z', '2026-12-01T00:00:00Z'],
  ['day', 'Asia/Kolkata', '2026-11-30T18:30:00Z', '2026-11-30T18:30:00Z'],
  ['day', 'America/Havana', '2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z'],
  ['day', 'America/Havana', '2026-11-01T04:30:00Z', '2026-11-02T05:00:00Z'],
] as const)(
  'the last %s of %s ends at or after the range, which ends at %s',
  async (step, zone, to, expected) => {
    const from = new Date(Date.parse(to) - 7_200_000);

    const { intervals, end } = await listIntervals(db, { from, to: new Date(to), step, zone });

    expect(end).toEqual(new Date(expected));
    expect(intervals.every((at) => at < new Date(to))).toBe(true);
  },
);

/** Returns a function that names the date of an instant in a zone. */
function dateIn(zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  return (at) => format.format(at);
}

/** Counts the quarters of an hour by date, of all days that a range touches, up to its end. */
function quartersByDate(dateOf: (at: Date) => string, from: Date, to: Date): Map<string, number> {
  const counts = new Map<string, number>();
  const first = dateOf(from);
  for (let ms = from.getTime() - 2 * 86_400_000; ms < to.getTime(); ms += QUARTER_MS) {
    const date = dateOf(new Date(ms));
    if (date >= first) counts.set(date, (counts.get(date) ?? 0) + 1);
  }
  return counts;
}
