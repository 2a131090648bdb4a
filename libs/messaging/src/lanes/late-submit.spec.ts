import { expect, test } from '@jest/globals';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { untilOneWaits } from '@signalbox/test/locks';
import { accept } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { ACCEPTED, type Answer, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

const REFUSED: Answer = { result: 'rejected', errCode: '006', description: 'Refused', tryOther: true };
const LATE = 'The claim of a submit batch ended before Postgres stored the batch';

test('messages of a worker that was frozen after its claim are left to other workers', async () => {
  await using t = await setup(ACCEPTED);
  const freeze = freezeAfterClaim(t);

  await expect(t.dispatch('TRANS', [t.id])).rejects.toThrow(LATE);

  expect(t.gateway.submitted).toEqual([]);
  expect(await t.db.query('SELECT FROM submit_batch')).toEqual([]);
  freeze.end();
  await t.retry('TRANS', [t.id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${t.id}:1`, attempt: 2 }]);
});

test('a worker that was frozen after its claim submits nothing to the default gateway', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db);
  freezeAfterClaim(t);

  await expect(t.dispatch('TRANS', [id])).rejects.toThrow('The claim of messages ended');

  expect(t.gateway.submitted).toEqual([]);
});

test.each([
  ['the default gateway', (): ReturnType<typeof openSms> => openSms()],
  ['a gateway of a route', (): ReturnType<typeof openSms> => setup(ACCEPTED)],
])('a message for %s is not parked, however often its claim ends before its submit', async (_, open) => {
  await using t = await open();
  const { id } = await accept(t.db);
  const freeze = freezeAfterClaim(t);
  await expect(t.dispatch('TRANS', [id])).rejects.toThrow('ended before');
  for (let i = 0; i < MAX_STARTS; i += 1)
    await expect(t.retry('TRANS', [id])).rejects.toThrow('ended before');

  freeze.end();
  await t.retry('TRANS', [id]);

  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1`, attempt: MAX_STARTS + 2 }]);
});

test('a frozen worker leaves the start of a message alone that another worker has claimed since', async () => {
  await using t = await setup({ result: 'throttled', scope: 'message', retryAfterMs: 60_000, reason: '' });
  const freeze = freezeAfterClaim(t, async () => {
    freeze.end();
    await t.db.query('UPDATE message SET claimed_until = now()');
    await t.retry('TRANS', [t.id]);
  });

  await expect(t.dispatch('TRANS', [t.id])).rejects.toThrow(LATE);

  expect(await t.db.query('SELECT starts, throttles FROM message')).toEqual([{ starts: 1, throttles: 2 }]);
});

test.each([
  ['was renewed', true, false, ['919800000100']],
  ['was not renewed', false, false, []],
  ['was renewed after another worker ended its batch', true, true, []],
])('after a long submit whose claim %s, only a claimed message goes to the next gateway', async (...row) => {
  const [, isRenewed, isEnded, recipients] = row;
  await using t = await setup(REFUSED);
  const { promise, resolve } = Promise.withResolvers<void>();
  t.gateway.busy = promise;
  const dispatched = Promise.allSettled([t.dispatch('TRANS', [t.id])]);
  await waitFor(() => t.gateway.submitted.length === 1, { otherwise: 'nothing is submitted' });

  await noteSteadyHeartbeats(t.db, { lateByMs: 8_500 }); // as if they had passed since the claim
  if (isEnded) await t.db.query('DELETE FROM submit_batch');
  if (isRenewed) await t.leases.renew(performance.now() + 8_500);
  resolve();
  await dispatched;

  expect(t.second.submitted.map(({ recipient }) => recipient)).toEqual(recipients);
});

test('a message whose batch met an outage of the database gets its start back', async () => {
  await using t = await setup(ACCEPTED);
  const blocker = t.db.connection.createQueryRunner();
  await blocker.startTransaction();
  await blocker.query('LOCK TABLE submit_batch');
  const dispatched = Promise.allSettled([t.dispatch('TRANS', [t.id])]);
  await untilOneWaits(t.db);

  await t.db.query(
    `SELECT pg_terminate_backend(pid)
       FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  await blocker.rollbackTransaction();
  await blocker.release();

  expect(await dispatched).toMatchObject([{ status: 'rejected' }]);
  expect(t.gateway.submitted).toEqual([]);
  expect(await t.db.query('SELECT starts, throttles FROM message')).toEqual([{ starts: 0, throttles: 1 }]);
});

/** One message, accepted, with a route to two gateways; heartbeats of the database are known. */
async function setup(answer: Answer) {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  const t = await openSms(answer, second);
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  await noteSteadyHeartbeats(t.db);
  const { id } = await accept(t.db);
  return { ...t, id, second };
}

/** Makes each claim seem so old, from now to `end`, that another worker may have its messages. */
function freezeAfterClaim(
  { channel }: Awaited<ReturnType<typeof openSms>>,
  meanwhile: () => Promise<void> = async () => undefined,
): { end: () => void } {
  let isFrozen = true;
  const late = async <C extends { claimedAt: number }>(claimed: Promise<C>): Promise<C> => {
    const claim = await claimed;
    if (!isFrozen) return claim;
    await meanwhile();
    return { ...claim, claimedAt: claim.claimedAt - 8_500 };
  };
  const claimNamed = channel.claimNamed.bind(channel);
  const reclaim = channel.reclaim.bind(channel);
  channel.claimNamed = (...args) => late(claimNamed(...args));
  channel.reclaim = (...args) => late(reclaim(...args));
  return {
    end: () => {
      isFrozen = false;
    },
  };
}
