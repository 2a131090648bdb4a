import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { status, waitOf, waitsOf } from './status.ts';

const PENDING = {
  recipient: '919800000001',
  channel: 'sms',
  type: 'OTP',
  unconfirmed: false,
  parked: false,
  heldUntil: null,
  sendAt: null,
};

test.each([
  [{ heldUntil: '2126-11-20T10:00:00.000Z' }, 'It is held until 2126-11-20T10:00:00.000Z.'],
  [{ sendAt: '2126-11-20T10:00:00.000Z' }, 'It is scheduled for 2126-11-20T10:00:00.000Z.'],
  [{ parked: true }, 'an operator frees or discards it'],
  [{ unconfirmed: true }, 'its report settles it'],
  [{ waitsFor: 'No gateway takes it now: a is down.' }, 'No gateway takes it now: a is down.'],
  [{ sendAt: '2026-01-01T00:00:00.000Z' }, 'No gateway has taken it so far.'],
  [{}, 'GET /v1/routes/explain?recipient=919800000001&channel=sms&type=OTP explains its route'],
  [{ channel: 'chatapp', type: 'TRANS' }, '?recipient=919800000001&channel=chatapp explains'],
])('a pending message with %j says what it waits for', (fields, words) => {
  expect(waitOf({ ...PENDING, ...fields })).toContain(words);
});

const NOTHING = { backlogs: [], waitingMessages: [], openMessages: [] };

test('pending sends, messages and pushes are counted', () => {
  const backlog = { lane: 'PROMO', ready: 0, scheduled: 2, paced: 0, held: 1 };
  const lanes = {
    backlogs: [backlog, { ...backlog, ready: 3 }, { ...backlog, lane: 'TRANS', held: 0 }],
    waitingMessages: [{ lane: 'TRANS', messages: 4 }],
    openMessages: [{ gateway: 'smsc-1', messages: 5 }],
    waitingPushes: { pushes: 7, uncalled: 1, nextAttemptAt: '2026-11-26T10:00:00.000Z' },
  };

  expect(waitsOf(lanes)).toEqual([
    'PROMO  sends: 3 ready, 4 scheduled, 2 held',
    'TRANS  sends: 2 scheduled',
    'TRANS  messages that no gateway has taken so far: 4',
    'smsc-1  messages without a final report: 5',
    'pushes that wait for their next call: 6, the first due at 2026-11-26T10:00:00.000Z',
    'pushes of webhooks that are disabled, or whose pushes a program pulls: 1',
  ]);
});

test('without pending work nothing is listed, nor by an API that does not count pushes', () => {
  const none = { pushes: 0, uncalled: 0, nextAttemptAt: null };

  expect([waitsOf({ ...NOTHING, waitingPushes: none }), waitsOf(NOTHING)]).toEqual([[], []]);
});

const ALL_RUN = ['sms', 'dlr', 'otp', 'chatapp'].map((fleet) => ({ fleet, workers: 1 }));

test('the sends of accounts on every page of the backlogs are counted', async () => {
  const answer = await statusOf({
    '/v1/system': { workers: ALL_RUN },
    '/v1/lanes': { ...NOTHING, backlogs: [backlogOf(2)], moreAccounts: 'a' },
    '/v1/lanes?after=a': { ...NOTHING, backlogs: [backlogOf(3)], moreAccounts: 'b' },
    '/v1/lanes?after=b': { ...NOTHING, backlogs: [backlogOf(4)], moreAccounts: null },
  });

  expect(answer).toContain('TRANS  sends: 9 ready');
});

test('workers that do not run are named, also by an API that lists live ones only', async () => {
  const workers = [{ fleet: 'sms', workers: 2 }, { fleet: 'otp', workers: 0 }, ALL_RUN[1]];
  const answer = await statusOf({
    '/v1/system': { workers },
    '/v1/lanes': { ...NOTHING, moreAccounts: null },
  });

  expect(answer.split('\n')).toEqual([
    'The simulator serves: there is no gateway.',
    'No otp-worker runs: codes are not generated.',
    'No chatapp-worker runs: chat-app messages are not sent.',
    'Nothing waits.',
  ]);
});

/** Returns what the command prints about an installation without gateways whose API answers with these pages. */
async function statusOf(pages: Record<string, object>): Promise<string> {
  const answers: Record<string, object> = { '/v1/gateways': [], ...pages };
  const server = createServer(({ url = '' }: IncomingMessage, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: answers[url] })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const before = { ...process.env };
  process.env['SIGNALBOX_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['SIGNALBOX_API_KEY'] = 'any';
  try {
    return await status.run([]);
  } finally {
    process.env = before;
    server.close();
  }
}

function backlogOf(ready: number): object {
  return { lane: 'TRANS', ready, scheduled: 0, paced: 0, held: 0 };
}
