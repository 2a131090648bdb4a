import { expect, test } from '@jest/globals';
import { rolledBack } from '@signalbox/database/core/rolled-back';
import { DEFAULT_ROUTE_POLICY } from '@signalbox/domain/routing/route';
import { createLogger } from '@signalbox/runtime/logger';
import { accept } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import {
  ACCEPTED,
  type Answer,
  FakeSmsGateway,
  UP_ELSEWHERE,
  openSms as openSmsAlone,
  routeTo,
} from '../../test/open-sms.ts';
import { Channel } from './channel.ts';
import { ClaimLeases } from './claim-leases.ts';
import { endAbandonedBatches, laneDuties } from './lane-duties.ts';
import type { DutyContext } from '../maintenance/duty.ts';
import { Gateways } from '../gateways/gateways.ts';
import { ReportIntake } from '../reports/report-intake.ts';

const SILENT = createLogger('test', 'silent');
const UNCONFIRMED: Answer = { result: 'unconfirmed' };
const THROTTLED: Answer = { result: 'throttled', scope: 'message', retryAfterMs: 3_600_000 };
const REJECTED: Answer = { result: 'rejected', errCode: '006', description: 'Refused' };

test.each([
  ['accepted', ACCEPTED, 0, 'SENT', ['ROUTED fake']],
  ['unconfirmed', UNCONFIRMED, 0, 'SENT', ['ROUTED fake', 'UNCONFIRMED fake']],
  ['throttled', THROTTLED, 0, 'PENDING', []],
  ['refused', REJECTED, 0, 'SENT', ['ROUTED fake']],
  [
    'refused for a reason that lies with the gateway',
    { ...REJECTED, tryOther: true } as Answer,
    1,
    'SENT',
    ['FAILED_OVER fake', 'ROUTED fake', 'ROUTED second'],
  ],
  [
    'refused in words that Postgres cannot store',
    { ...REJECTED, description: 'No\u0000', tryOther: true } as Answer,
    1,
    'SENT',
    ['FAILED_OVER fake', 'ROUTED fake', 'ROUTED second'],
  ],
])('a message that is %s goes to the next gateway only if it cannot arrive twice', async (...row) => {
  const [, answer, submittedAgain, status, events] = row;
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(answer, second);
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);
  await t.dispatch('TRANS', [id]);

  expect(t.gateway.submitted).toHaveLength(1);
  expect(second.submitted).toHaveLength(submittedAgain);
  expect(await t.statuses()).toEqual([status]);
  expect(await t.events()).toEqual(events);
});

test('a message that was throttled for longer than the route allows goes to the next gateway', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(THROTTLED, second);
  const policy = { ...DEFAULT_ROUTE_POLICY, failoverAfterMs: 3_600_000 };
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'], policy })]);
  const { id } = await accept(t.db);
  await t.dispatch('TRANS', [id]);

  await t.db.query(`UPDATE message SET claimed_until = now()`);
  await t.retry('TRANS', [id]);
  expect(second.submitted).toEqual([]);
  await t.db.query(`UPDATE message SET throttled_at = now() - interval '2 hours', claimed_until = now()`);
  await t.retry('TRANS', [id]);

  expect(second.submitted).toHaveLength(1);
  expect(await t.db.query('SELECT status, gateway, throttled_at FROM message')).toEqual([
    { status: 'SENT', gateway: 'second', throttled_at: null },
  ]);
});

test('a message that its gateway went down with before it was written goes to the next one', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(() => {
    t.gateway.status = 'down';
    return THROTTLED;
  }, second);
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);

  expect([t.gateway.submitted.length, second.submitted.length]).toEqual([1, 1]);
});

test('two gateways share the recipients, and each recipient keeps its gateway', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(ACCEPTED, second);
  t.router.followRoutes([routeTo(['fake', 'second'])]);
  const recipients = Array.from({ length: 60 }, (_, i) => String(919_800_000_000 + i));
  const recipientsOf = (gateway: FakeSmsGateway) => gateway.submitted.map(({ recipient }) => recipient);

  for (let i = 0; i < 2; i += 1) await t.dispatch('TRANS', [(await accept(t.db, { recipients })).id]);

  for (const gateway of [t.gateway, second]) {
    const all = recipientsOf(gateway);
    expect(all.length).toBeGreaterThan(20);
    expect(all.slice(all.length / 2)).toEqual(all.slice(0, all.length / 2));
  }
  expect([...recipientsOf(t.gateway), ...recipientsOf(second)].toSorted()).toEqual(
    [...recipients, ...recipients].toSorted(),
  );
});

test('a throttled sender delays its own messages only', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  const throttled: Answer = { result: 'throttled', scope: 'sender', retryAfterMs: 60_000 };
  await using t = await openRouted(({ sender }) => (sender === 'SLOW' ? throttled : ACCEPTED), second);
  t.router.followRoutes([routeTo(['fake'])]);
  const send = async (sender: string) => t.dispatch('TRANS', [(await accept(t.db, { sender })).id]);

  await send('SLOW');
  await send('SLOW');
  await send('QUICK');

  expect(t.gateway.submitted.map(({ sender }) => sender)).toEqual(['SLOW', 'QUICK']);
  expect((await t.statuses()).toSorted()).toEqual(['PENDING', 'PENDING', 'SENT']);
});

test('messages wait while no gateway of their route takes any', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(ACCEPTED, second);
  t.router.followRoutes([routeTo(['fake'])]);
  t.gateway.status = 'down';
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);
  expect(await t.db.query('SELECT status, gateway, starts FROM message')).toEqual([
    { status: 'PENDING', gateway: null, starts: 0 },
  ]);
  expect(t.jobs).toMatchObject([{ ids: [id], extra: { isRetry: true }, delayMs: 1_000 }]);

  t.gateway.status = 'up';
  await t.db.query(`UPDATE message SET claimed_until = now()`);
  await t.retry('TRANS', [id]);
  expect([t.gateway.submitted.length, second.submitted.length]).toEqual([1, 0]);
});

test('a worker without a bind leaves messages to one that has it, by row', async () => {
  await using t = await openRouted(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);
  t.router.followOthers([UP_ELSEWHERE]);
  t.gateway.status = 'down';
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });

  await t.dispatch('TRANS', [id]);
  await t.retry('TRANS', [id]);
  expect(t.gateway.submitted).toEqual([]);

  t.gateway.status = 'up'; // as in the other worker
  await t.takePinned(['fake']);
  await t.takePinned(['fake']);
  expect(t.gateway.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:1`, `${id}:2`]);
  expect(await t.db.query('SELECT FROM pinned_message')).toEqual([]);
});

test('a released message that was claimed otherwise is not taken again', async () => {
  await using t = await openRouted(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);
  t.router.followOthers([UP_ELSEWHERE]);
  t.gateway.status = 'down';
  const { id } = await accept(t.db);
  await t.dispatch('TRANS', [id]);

  t.gateway.status = 'up';
  await t.db.query(`UPDATE message SET starts = starts + 1, claimed_until = now() + interval '10 seconds'`);
  await t.takePinned(['fake']);

  expect(t.gateway.submitted).toEqual([]);
});

test('an unconfirmed message is submitted again only where the route says so', async () => {
  await using t = await openRouted(UNCONFIRMED, new FakeSmsGateway(ACCEPTED, 'second'));
  const policy = { ...DEFAULT_ROUTE_POLICY, resendUnconfirmed: true };
  t.router.followRoutes([routeTo(['fake'], { policy })]);
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);

  expect(await t.db.query('SELECT status, starts, unconfirmed_at FROM message')).toEqual([
    { status: 'PENDING', starts: 1, unconfirmed_at: null },
  ]);
});

test('an unconfirmed message fails with 004 some time after it expired, unless a report came', async () => {
  await using t = await openRouted(UNCONFIRMED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });
  await t.dispatch('TRANS', [id]);
  await t.endUnconfirmed();
  expect(await t.db.query('SELECT FROM message_event')).toEqual([]);

  await t.db.query(`UPDATE message SET unconfirmed_at = NULL, status = 'DELIVERED' WHERE n = 2`);
  await t.db.query(`UPDATE unconfirmed_message SET due_at = now()`);
  await t.endUnconfirmed();
  await t.endUnconfirmed();

  expect(await t.db.query('SELECT n, status, err_code, gateway FROM message_event')).toEqual([
    { n: 1, status: 'FAILED', err_code: '004', gateway: 'fake' },
  ]);
});

test('a message that names its gateway goes there alone, and fails when there is none', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted({ ...REJECTED, tryOther: true } as Answer, second);
  t.router.followRoutes([routeTo(['second'])]);
  const content = (via: string) => ({ text: 'Hello', unicode: false, flash: false, via });

  await t.dispatch('TRANS', [(await accept(t.db, { content: content('fake') })).id]);
  await t.dispatch('TRANS', [(await accept(t.db, { content: content('missing') })).id]);

  expect([t.gateway.submitted.length, second.submitted.length]).toEqual([1, 0]);
  expect(await t.db.query('SELECT err_code FROM message_event ORDER BY err_code')).toEqual([
    { err_code: '006' },
    { err_code: '011' },
  ]);
});

test('a gateway that stalls delays the messages of no other', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(ACCEPTED, second);
  t.router.followRoutes([routeTo(['fake'], { match: { senders: ['A'] } }), routeTo(['second'])]);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  t.gateway.busy = promise;
  const [a, b] = [await accept(t.db, { sender: 'A' }), await accept(t.db, { sender: 'B' })];

  await t.dispatcher.dispatch('TRANS', [a.id, b.id]);

  await waitFor(async () => (await t.statuses()).includes('SENT'));
  expect(await t.db.query('SELECT gateway, status FROM message ORDER BY gateway')).toEqual([
    { gateway: 'second', status: 'SENT' },
    { gateway: null, status: 'PENDING' },
  ]);
  answer();
  await t.dispatcher.idle();
  expect(await t.statuses()).toEqual(['SENT', 'SENT']);
});

test('messages of a worker that died while it submitted them are unconfirmed, not sent again', async () => {
  await using t = await openRouted(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  t.gateway.busy = promise;
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });
  await t.dispatcher.dispatch('TRANS', [id]);
  await waitFor(() => t.gateway.submitted.length === 2);
  await t.db.query(`UPDATE submit_batch SET alive_until = now() + interval '1 hour'`);
  await t.endAbandonedBatches();
  expect(await t.statuses()).toEqual(['PENDING', 'PENDING']);

  await t.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);
  await t.db.query(`UPDATE message SET throttles = throttles + 1 WHERE n = 2`); // claimed by another worker since
  await t.endAbandonedBatches();

  expect(
    await t.db.query('SELECT n, status, unconfirmed_at IS NOT NULL AS unconfirmed FROM message ORDER BY n'),
  ).toEqual([
    { n: 1, status: 'SENT', unconfirmed: true },
    { n: 2, status: 'PENDING', unconfirmed: false },
  ]);
  expect(await t.db.query('SELECT FROM submit_batch')).toEqual([]);
  answer();
  await t.dispatcher.idle();
});

test('a batch of a dead worker is recorded in the transaction that ends it', async () => {
  await using t = await openRouted(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  t.gateway.busy = promise;
  await t.dispatcher.dispatch('TRANS', [(await accept(t.db)).id]);
  await waitFor(() => t.gateway.submitted.length === 1);
  await t.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);

  await rolledBack(t.db, (db) => t.endAbandonedBatches(db));

  expect(await t.statuses()).toEqual(['PENDING']);
  expect(await t.db.query('SELECT FROM submit_batch')).toHaveLength(1);
  answer();
  await t.dispatcher.idle();
});

test.each([
  [false, [{ status: 'SENT', unconfirmed: true }], 1],
  [true, [{ status: 'PENDING', unconfirmed: false }], 2],
])('a route with resendUnconfirmed %p decides on the batch of a dead worker', async (...row) => {
  const [resendUnconfirmed, after, submits] = row;
  await using t = await openRouted(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'], { policy: { ...DEFAULT_ROUTE_POLICY, resendUnconfirmed } })]);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  t.gateway.busy = promise;
  const { id } = await accept(t.db);
  await t.dispatcher.dispatch('TRANS', [id]);
  await waitFor(() => t.gateway.submitted.length === 1);
  await t.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);

  await t.endAbandonedBatches();

  expect(await t.db.query('SELECT status, unconfirmed_at IS NOT NULL AS unconfirmed FROM message')).toEqual(
    after,
  );
  expect(await t.db.query('SELECT event, gateway, reason FROM routing_event')).toEqual([
    {
      event: 'UNCONFIRMED',
      gateway: 'fake',
      reason: 'The worker that submitted the message died, so the message may arrive.',
    },
  ]);
  await t.db.query(`UPDATE message SET claimed_until = now()`);
  await t.dispatcher.retry('TRANS', [id]);
  await waitFor(() => t.gateway.submitted.length === submits);
  answer();
  await t.dispatcher.idle();
});

test.each([
  ['fails at once when no route ever takes it', { countries: ['US'] }, 'SENT', ['011']],
  ['waits for the hours of a route', { hours: hoursElsewhere() }, 'PENDING', []],
])('a message %s', async (_, match, status, errCodes) => {
  await using t = await openRouted(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'], { match })]);
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);

  expect([t.gateway.submitted, await t.statuses()]).toEqual([[], [status]]);
  const failures = await t.db.query('SELECT err_code, description FROM message_event');
  expect(failures).toEqual(
    errCodes.map((code) => ({ err_code: code, description: 'No route takes this message' })),
  );
});

test('a message whose route has no gateway that is up waits', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openRouted(ACCEPTED, second);
  second.status = 'down';
  t.router.followRoutes([routeTo(['second'])]);

  await t.dispatch('TRANS', [(await accept(t.db)).id]);

  expect(await t.statuses()).toEqual(['PENDING']);
});

test('without rows of gateways nothing but the submit is recorded', async () => {
  await using t = await openRouted();
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);

  expect(t.gateway.submitted).toHaveLength(1);
  expect(await t.events()).toEqual([]);
});

/** Hours of a day that do not contain the present. */
function hoursElsewhere(): { from: string; to: string; zone: string } {
  const hour = (offset: number): string =>
    `${String((new Date().getUTCHours() + offset) % 24).padStart(2, '0')}:00`;
  return { from: hour(10), to: hour(12), zone: 'UTC' };
}

/** Adds the decisions of all messages, and the duty that ends unconfirmed ones. */
async function openRouted(...args: Parameters<typeof openSmsAlone>) {
  const t = await openSmsAlone(...args);
  const duty = laneDuties().find(({ name }) => name === 'end unconfirmed messages');
  const providers = new Map<unknown, unknown>([
    [Channel, t.channel],
    [Gateways, t.gateways],
    [ReportIntake, t.intake],
    [ClaimLeases, { batchIds: [] }],
  ]);
  const get = (token: unknown): unknown => providers.get(token);
  return {
    ...t,
    takePinned: async (gateways: string[]) => {
      await t.lanes.takePinned(gateways);
      await t.dispatcher.idle();
    },
    events: async () =>
      (await t.db.query('SELECT event, gateway FROM routing_event'))
        .map(({ event, gateway }: { event: string; gateway: string }) => `${event} ${gateway}`)
        .toSorted(),
    endAbandonedBatches: (db = t.db) =>
      endAbandonedBatches({ db, get, logger: SILENT } as unknown as DutyContext),
    endUnconfirmed: async () => {
      if (duty && 'run' in duty) await duty.run({ db: t.db, get } as unknown as DutyContext);
    },
  };
}
