import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SegmentReport } from '../../gateway-ids.ts';
import { rollUp } from './roll-up.ts';

const ID = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66:1';
const ALL = { receiptsFrom: 'all' } as const;

function report(status: SegmentReport['status'], changes: Partial<SegmentReport> = {}): SegmentReport {
  return {
    gatewayMessageId: '7',
    recipient: null,
    status,
    errCode: status === 'FAILED' ? '001' : '000',
    gatewayCode: null,
    description: 'text',
    reportedAt: new Date('2026-05-01T10:00:00Z'),
    ...changes,
  };
}

function roll(
  reports: (SegmentReport | null)[],
  receiptsFrom: 'all' | 'first' | 'last' = 'all',
  isSilent = false,
) {
  return rollUp({ messageId: ID, reports }, { receiptsFrom }, { isSilent })?.status;
}

const final = fc.constantFrom('DELIVERED' as const, 'FAILED' as const);
const segments = fc.array(final, { minLength: 1, maxLength: 8 });

/** The final states of segments, and an order in which they are reported. */
const ordered = segments.chain((states) =>
  fc.tuple(
    fc.constant(states),
    fc.shuffledSubarray(
      states.map((_, i) => i),
      { minLength: states.length },
    ),
  ),
);

test('in every order, nothing is final before the last segment and the outcome is the same', () => {
  fc.assert(
    fc.property(ordered, ([states, order]) => {
      const reports: (SegmentReport | null)[] = states.map(() => null);
      const seen = order.map((i) => {
        reports[i] = report(states[i]!);
        return roll(reports);
      });

      expect(seen.slice(0, -1)).toEqual(seen.slice(0, -1).map(() => undefined));
      expect(seen.at(-1)).toBe(states.includes('FAILED') ? 'FAILED' : 'DELIVERED');
    }),
  );
});

test('silent segments agree with those that are final, however many they are', () => {
  const partial = fc.array(
    fc.option(fc.constantFrom('SENT' as const, 'DELIVERED' as const, 'FAILED' as const)),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(partial, (states) => {
      const reports = states.map((status) => (status ? report(status) : null));
      const finals = states.filter((status) => status === 'DELIVERED' || status === 'FAILED');
      const expected = finals.includes('FAILED') ? 'FAILED' : finals[0];

      expect(roll(reports, 'all', true)).toBe(expected);
    }),
  );
});

test.each<['first' | 'last', (SegmentReport | null)[], string | undefined]>([
  ['first', [report('DELIVERED'), null, null], 'DELIVERED'],
  ['first', [null, report('DELIVERED'), report('FAILED')], undefined],
  ['first', [report('DELIVERED'), report('FAILED')], 'DELIVERED'],
  ['last', [null, null, report('FAILED')], 'FAILED'],
  ['last', [report('DELIVERED'), null], undefined],
])('with receiptsFrom %s, that segment alone decides', (receiptsFrom, reports, status) => {
  expect(roll(reports, receiptsFrom)).toBe(status);
});

test('when the deciding segment stays silent, the others decide', () => {
  expect(roll([null, report('DELIVERED')], 'first', true)).toBe('DELIVERED');
});

test('SENT is reported until a segment is final', () => {
  expect(roll([report('SENT'), null])).toBe('SENT');
  expect(roll([report('SENT'), report('DELIVERED')])).toBeUndefined();
  expect(roll([report(null), null])).toBeUndefined();
});

test('a correction of the failed segment delivers the message', () => {
  expect(roll([report('DELIVERED'), report('FAILED')])).toBe('FAILED');
  expect(roll([report('DELIVERED'), report('DELIVERED')])).toBe('DELIVERED');
});

test('the reason is that of the first failed segment, the time that of the last delivery', () => {
  const later = new Date('2026-05-01T11:00:00Z');
  const failed = report('FAILED', { errCode: '005', gatewayCode: '32' });

  expect(rollUp({ messageId: ID, reports: [report('DELIVERED'), failed, report('FAILED')] }, ALL)).toEqual({
    messageId: ID,
    status: 'FAILED',
    errCode: '005',
    gatewayCode: '32',
    description: 'text',
    reportedAt: failed.reportedAt,
  });
  expect(
    rollUp({ messageId: ID, reports: [report('DELIVERED', { reportedAt: later }), report('DELIVERED')] }, ALL)
      ?.reportedAt,
  ).toEqual(later);
});
