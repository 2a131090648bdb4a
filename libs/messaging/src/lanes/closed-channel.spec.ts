import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { WorkerView } from '@signalbox/database/gateways/gateways';
import { cancelSubmission } from '@signalbox/database/submissions/progress';
import { makeDueReady } from '@signalbox/database/submissions/submissions';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';
import { accept, newGateway } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { createLogger } from '@signalbox/runtime/logger';
import {
  ACCEPTED,
  type Answer,
  FakeSmsGateway,
  UP_ELSEWHERE,
  openSms,
  routeTo,
} from '../../test/open-sms.ts';
import { Lanes } from './lanes.ts';

const SILENT = createLogger('test', 'silent');

const TRANS = SMS_QUEUES.TRANS.name;

const UNPAUSED = { get: () => ({ admin: { isPaused: async () => false } }) } as unknown as Queues;

test.each(['down', 'paused', 'disabled'] as const)(
  'a backlog is not fanned out while the only gateway is %s, and is sent when it is back',
  async (state) => {
    await using t = await setup(state);
    const accountId = randomUUIDv7();
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push((await accept(t.db, { accountId, recipients: t.many(100) })).id);

    await t.lanes.serve('TRANS', { ids }, 0);
    await waitFor(async () => (await t.claims()) > 0);
    for (let pass = 0; pass < 3; pass += 1) await t.wake();
    await t.lanes.close();
    expect([await t.claims(), t.gateway.submitted]).toEqual([50, []]);

    t.open();
    const next = t.newLanes();
    await next.wakeStarved(UNPAUSED);
    await waitFor(() => t.gateway.submitted.length === 350, { otherwise: 'the backlog waits' });
    await next.close();
  },
);

test.each([
  ['no other gateway', false],
  ['another gateway', true],
])('a message that waits while %s takes messages is claimed ever more rarely', async (_, isOpen) => {
  await using t = isOpen ? await setupMixed() : await setup('down');
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);
  for (let i = 0; i < 7; i += 1) {
    await t.db.query(`UPDATE message SET claimed_until = now()`);
    await t.retry('TRANS', [id]);
  }

  expect(t.jobs.map(({ delayMs }) => delayMs)).toEqual(
    [1, 4, 16, 64, 256, 600, 600, 600].map((seconds) => seconds * 1_000),
  );
});

test('messages that wait for a minute are submitted when a gateway takes messages again', async () => {
  await using t = await setup('down');
  const { id } = await t.acceptWaiting({ recipients: t.many(3) });
  await t.lanes.wakeWaiting();
  expect(t.gateway.submitted).toEqual([]);

  t.open();
  await t.lanes.wakeWaiting();

  await waitFor(async () => (await t.statuses()).every((status: string) => status === 'SENT'));
  expect(t.gateway.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:1`, `${id}:2`, `${id}:3`]);
});

test.each([
  ['its gateway takes messages again', (t: Mixed) => (t.gateway.status = 'up')],
  ['another route takes it', (t: Mixed) => t.router.followRoutes([routeTo(['second'])])],
  ['the hours of another route begin', (t: Mixed) => delete t.nightly.match.hours],
])('a message that waits for one of two gateways is woken when %s', async (_, change) => {
  await using t = await setupMixed();
  const startedAt = performance.now();
  await t.lanes.wakeWaiting(startedAt);
  await t.acceptWaiting();

  await t.lanes.wakeWaiting(startedAt + 10_001);
  expect(await t.db.query('SELECT FROM message WHERE claimed_until > now()')).toHaveLength(1);
  change(t);
  await t.lanes.wakeWaiting(startedAt + 20_000);

  await waitFor(async () => (await t.statuses()).join() === 'SENT', { otherwise: 'it is not woken' });
});

test('messages that wait are woken when their gateway opened during an outage of Postgres', async () => {
  await using t = await setup('down');
  await t.acceptWaiting();
  const startedAt = performance.now();

  t.open();
  await t.db.query('ALTER TABLE message RENAME TO away');
  await expect(t.lanes.wakeWaiting(startedAt)).rejects.toThrow();
  await t.db.query('ALTER TABLE away RENAME TO message');
  await t.lanes.wakeWaiting(startedAt + 20_000);

  await waitFor(async () => (await t.statuses()).join() === 'SENT', {
    timeoutMs: 20_000,
    otherwise: 'it is not woken',
  });
});

test('a message that waits because its gateway was down for a moment is woken', async () => {
  await using t = await setup('up');
  const startedAt = performance.now();
  await t.lanes.wakeWaiting(startedAt);

  t.gateway.status = 'down';
  await t.acceptWaiting();
  expect(await t.statuses()).toEqual(['PENDING']);
  t.gateway.status = 'up';
  await t.lanes.wakeWaiting(startedAt + 20_000);

  await waitFor(async () => (await t.statuses()).join() === 'SENT', {
    timeoutMs: 20_000,
    otherwise: 'it is not woken',
  });
});

test('a message is woken that began to wait while another worker with its gateway was not seen', async () => {
  await using t = await setup('down');
  t.router.followOthers([UP_ELSEWHERE]);
  const startedAt = performance.now();
  await t.lanes.wakeWaiting(startedAt);

  t.router.followOthers([]);
  const { id } = await t.acceptWaiting();
  t.jobs.length = 0;
  t.router.followOthers([UP_ELSEWHERE]);
  await t.lanes.wakeWaiting(startedAt + 20_000);

  await waitFor(() => t.jobs.length > 0, { timeoutMs: 20_000, otherwise: 'it is not woken' });
  expect(t.jobs).toMatchObject([{ ids: [id], extra: { isRetry: true }, delayMs: 50 }]);
});

test('more messages than a pass wakes are woken by the next ones, each once', async () => {
  await using t = await setupMixed();
  await t.acceptWaiting();
  await t.db.query(`UPDATE message SET starts = 0, throttles = 9`);
  await t.db.query(
    `INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, starts, throttles,
                          claimed_until, due_at)
     SELECT submission_id, i, account_id, lane, recipient, status, credits, starts, throttles, claimed_until, due_at
       FROM message, generate_series(2, 10100) AS i`,
  );
  const unwoken = async (): Promise<number> =>
    (await t.db.query(`SELECT FROM message WHERE throttles = 9 AND starts = 0 AND claimed_until > now()`))
      .length;

  t.router.followRoutes([routeTo(['fake'])]);
  const startedAt = performance.now();
  await t.lanes.wakeWaiting(startedAt);
  expect(await unwoken()).toBe(5_100);
  await t.lanes.wakeWaiting(startedAt + 20_000);
  expect(await unwoken()).toBe(100);

  const waitAgain = `throttles = 10 AND claimed_until > now() + interval '590 s'`;
  const again = async (): Promise<number> =>
    (await t.db.query(`SELECT FROM message WHERE ${waitAgain}`)).length;
  await waitFor(async () => (await again()) > 0, { otherwise: 'they are not retried' });
  await t.lanes.close();
  const before = await again();
  await t.lanes.wakeWaiting(startedAt + 21_000);
  expect([await unwoken(), await again()]).toEqual([0, before]);
});

test('one waiting message of each lane is submitted while a gateway is tested', async () => {
  await using t = await setup('down');
  await t.acceptWaiting({ recipients: t.many(3) });
  t.gateway.detail = { takes: 'one' };

  await t.lanes.wakeWaiting();

  await waitFor(() => t.gateway.submitted.length === 1, { otherwise: 'nothing tests the gateway' });
  expect(await t.db.query(`SELECT FROM message WHERE claimed_until > now() + interval '15 s'`)).toHaveLength(
    2,
  );
});

test('messages that a gateway throttles, and those that a worker has claimed, are not woken', async () => {
  const throttled: Answer = { result: 'throttled', scope: 'message', retryAfterMs: 50_000 };
  await using t = await setup('up', throttled);
  const { id } = await accept(t.db);
  await t.dispatch('TRANS', [id]);
  const wait = `SELECT claimed_until, due_at FROM message`;
  await t.db.query(`UPDATE message SET due_at = claimed_until + interval '1 second'`);
  const before = await t.db.query(wait);
  await t.lanes.wakeWaiting();
  expect(await t.db.query(wait)).toEqual(before);

  const claim = `gateway = NULL, claimed_until = now() + interval '10 s', due_at = now() + interval '11 s'`;
  await t.db.query(`UPDATE message SET ${claim}`);
  const claimed = await t.db.query(wait);
  await t.lanes.wakeWaiting();
  expect(await t.db.query(wait)).toEqual(claimed);
});

test('messages that expired or were cancelled end while no gateway takes messages', async () => {
  await using t = await setup('down');
  const past = new Date(Date.now() - 1_000);
  const expired = await accept(t.db, { recipients: t.many(120), expiresAt: past });
  const cancelled = await accept(t.db, { recipients: t.many(2) });
  await cancelSubmission(t.db, cancelled.accountId, null, cancelled.id);
  await makeDueReady(t.db, 'sms');

  await t.lanes.serve('TRANS', { ids: [expired.id] }, 0);

  await waitFor(async () => (await t.statuses()).length === 122, { otherwise: 'they do not end' });
  expect(new Set(await t.statuses())).toEqual(new Set(['FAILED']));
});

test('a round that fails while no gateway takes messages does not rest for a minute', async () => {
  await using t = await setup('down');
  const { id } = await accept(t.db, { expiresAt: new Date(Date.now() - 1_000) });
  const claimRound = t.channel.claimRound.bind(t.channel);
  let rounds = 0;
  t.channel.claimRound = (...args) =>
    (rounds += 1) === 1 ? Promise.reject(new Error('Postgres is away')) : claimRound(...args);

  await t.lanes.serve('TRANS', { ids: [id] }, 0);

  await waitFor(async () => (await t.statuses()).includes('FAILED'), {
    timeoutMs: 20_000,
    otherwise: 'it rests',
  });
  expect(rounds).toBeGreaterThan(1);
});

test('a cancelled message ends without waiting for the end of its minute', async () => {
  await using t = await setup('down');
  const { id, accountId } = await t.acceptWaiting();

  await cancelSubmission(t.db, accountId, null, id);
  await t.retry('TRANS', [id]);

  expect(await t.statuses()).toEqual(['FAILED']);
});

test.each([{}, { isChunk: true }, { isRetry: true }] as const)(
  'a worker without a gateway leaves the job %j to one that has it, and claims nothing',
  async (kind) => {
    await using t = await setup('down');
    const { id } = await accept(t.db);
    if ('isRetry' in kind) await t.channel.claimNamed('TRANS', [id]);
    await t.db.query(`UPDATE message SET claimed_until = now()`);
    const before = await t.claims();
    t.router.followOthers([UP_ELSEWHERE]);

    await t.lanes.serve('TRANS', { ids: [id], ...kind }, 0);
    await t.wake();

    expect(t.jobs).toEqual([{ queue: TRANS, ids: [id], extra: kind, delayMs: 50 }]);
    expect(await t.claims()).toBe(before);
    expect(await t.db.query('SELECT FROM pinned_message')).toEqual([]);
  },
);

test.each([
  ['up', {}, 'here'],
  ['connecting', { takes: 'any' }, 'here'],
  ['down', { takes: 'one' }, 'test'],
  ['down', {}, 'nowhere'],
] as const)(
  'a channel whose only gateway is %s with %j takes messages %s',
  async (status, detail, outlet) => {
    await using t = await setup('up');
    Object.assign(t.gateway, { status, detail });
    expect(t.router.outlet).toBe(outlet);

    t.router.followOthers([{ ...UP_ELSEWHERE, status, detail } as WorkerView]);
    expect(t.router.outlet).toBe(outlet);
    t.router.followOthers([UP_ELSEWHERE]);
    expect(t.router.outlet).toBe(outlet === 'nowhere' ? 'elsewhere' : 'here');
    t.gateways.follow([newGateway('fake', { paused: true })]);
    expect(t.router.outlet).toBe('nowhere');
    t.gateways.follow([]);
    expect(t.router.outlet).toBe('here');
  },
);

type Mixed = Awaited<ReturnType<typeof setupMixed>>;

/** Opens the SMS channel with a gateway that is down, and one that is up, to which no route leads at this hour. */
async function setupMixed() {
  const t = await setup('down', ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  const nightly = routeTo(['second'], { match: { hours: { from: '00:00', to: '00:00', zone: 'UTC' } } });
  t.router.followRoutes([routeTo(['fake']), nightly]);
  return { ...t, nightly };
}

/** Opens the SMS channel with one gateway, and further ones, and a pace that is free. */
async function setup(
  state: 'up' | 'down' | 'paused' | 'disabled',
  answer?: Answer,
  ...others: FakeSmsGateway[]
) {
  const t = await openSms(answer, ...others);
  for (let batch = 0; batch < 20; batch += 1)
    t.pace.learn({ submitted: t.pace.batch.messages, pauseMs: 0, gatewayMs: 1 });
  const row = newGateway('fake');
  t.gateways.follow([
    { ...row, paused: state === 'paused', enabled: state !== 'disabled' },
    ...others.map(({ name }) => newGateway(name)),
  ]);
  if (state === 'down') t.gateway.status = 'down';
  return {
    ...t,
    many: (count: number) => Array.from({ length: count }, (_, i) => String(919_800_000_000 + i)),
    open: () => {
      t.gateway.status = 'up';
      t.gateways.follow([row]);
    },
    /** Accepts messages that have been waiting for some time. */
    acceptWaiting: async (given: Parameters<typeof accept>[1] = {}) => {
      const submission = await accept(t.db, given);
      await t.dispatch('TRANS', [submission.id]);
      await t.db.query(
        `UPDATE message SET claimed_until = now() + interval '20 s', due_at = now() + interval '21 s'`,
      );
      return submission;
    },
    newLanes: () => new Lanes(t.db, t.channel, t.dispatcher, t.throttle, SILENT),
    /** Wakes the lanes whose submissions have been ready for a second. */
    wake: async () => {
      await t.db.query(`UPDATE submission SET due_at = now() - interval '2 s'`);
      await t.db.query(`UPDATE ready_batch SET due_at = now() - interval '2 s'`);
      await t.lanes.wakeStarved(UNPAUSED);
    },
    /** Number of claims of all messages so far. */
    claims: async (): Promise<number> =>
      (await t.db.query('SELECT COALESCE(sum(starts + throttles), 0)::integer AS count FROM message'))[0]
        .count,
    [Symbol.asyncDispose]: async () => {
      await t.lanes.close();
      await t[Symbol.asyncDispose]();
    },
  };
}
