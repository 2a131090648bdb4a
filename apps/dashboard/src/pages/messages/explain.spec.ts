import { expect, test } from '@jest/globals';
import { duration } from '../../parts/duration.ts';
import { explain } from './explain.ts';

type Given = Parameters<typeof explain>[0];

const NOW = Date.parse('2026-11-22T10:00:00Z');
const AHEAD = '2026-11-22T21:00:00.000Z';

function message(given: Partial<Given>): Given {
  return {
    status: 'Pending',
    parked: false,
    unconfirmed: false,
    errCode: null,
    statusDescription: null,
    gateway: null,
    channel: 'sms',
    sendAt: null,
    expiresAt: '2026-11-24T10:00:00.000Z',
    heldUntil: null,
    waitsFor: null,
    createdAt: '2026-11-22T09:59:00.000Z',
    timeline: [{ at: '2026-11-22T09:59:00.000Z', event: 'accepted' }],
    ...given,
  };
}

const report = (status: string, more: object = {}) => ({
  at: '2026-11-22T09:59:04.200Z',
  event: 'report' as const,
  status,
  ...more,
});

test.each<[string, Partial<Given>, string, string]>([
  ['a delivery', { status: 'Delivered', timeline: [report('Delivered')] }, 'good', 'delivered, 4.2 s after'],
  ['a reading', { status: 'Read', timeline: [report('Read')] }, 'good', 'has read it'],
  ['an expiry', { status: 'Failed', errCode: '901', gateway: 'a' }, 'bad', 'expired'],
  ['a cancellation', { status: 'Failed', errCode: '902' }, 'bad', 'cancelled'],
  ['an opt-out', { status: 'Failed', errCode: '903' }, 'bad', 'opted out'],
  ['a lost sender', { status: 'Failed', errCode: '904' }, 'bad', 'no longer a number'],
  [
    'a refusal of the gateway',
    {
      status: 'Failed',
      gateway: 'smsc',
      errCode: '001',
      statusDescription: 'Absent subscriber',
      timeline: [report('Failed', { gatewayCode: '27' })],
    },
    'bad',
    'The phone is switched off, out of coverage or does not answer. The gateway smsc reports: Absent subscriber (errCode 001, its own code 27).',
  ],
  ['a missing report', { status: 'Sent', gateway: 'smsc' }, 'waiting', 'has not reported'],
  ['parking, before its time', { parked: true, sendAt: AHEAD }, 'bad', 'parked'],
  [
    'a message without a gateway',
    { waitsFor: 'No gateway takes it now: smsc-1 is down.' },
    'waiting',
    'No gateway takes it now: smsc-1 is down. It expires on',
  ],
  ['a submit without an answer', { unconfirmed: true, gateway: 'smsc' }, 'waiting', 'did not respond'],
  ['a schedule', { sendAt: AHEAD }, 'waiting', 'scheduled for {time}'],
  ['quiet hours', { heldUntil: AHEAD }, 'waiting', 'Quiet hours'],
  ['the pace of a recipient', { heldUntil: AHEAD, channel: 'chatapp' }, 'waiting', 'The pace'],
  [
    'a failover',
    { timeline: [{ at: AHEAD, event: 'failed_over', gateway: 'a', reason: 'it is down' }] },
    'waiting',
    'could not take it (it is down)',
  ],
  ['a queue', { sendAt: '2026-11-22T09:00:00.000Z' }, 'waiting', 'waits to be handed'],
])('%s is explained', (_, given, tone, words) => {
  const explanation = explain(message(given), NOW);

  expect(explanation.tone).toBe(tone);
  expect(explanation.text).toContain(words);
});

test.each([
  [-1, '0.0 s'],
  [4.21, '4.2 s'],
  [61, '61 s'],
  [600, '10 min'],
  [9_000, '3 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
