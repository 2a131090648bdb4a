import { expect, test } from '@jest/globals';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { accept } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { ACCEPTED, type Answer, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

const REFUSED: Answer = { result: 'rejected', errCode: '006', description: 'Refused', tryOther: true };
const LATE = 'The claim of a submit batch ended before Postgres stored the batch';

test('messages of a worker that was frozen after its claim are left to other workers', async () => {
  await using t = await setup(ACCEPTED);
  const claimNamed = t.channel.claimNamed.bind(t.channel);
  t.channel.claimNamed = async (...args) => {
    const claim = await claimNamed(...args);
    return { ...claim, claimedAt: claim.claimedAt - 8_500 };
  };

  await expect(t.dispatch('TRANS', [t.id])).rejects.toThrow(LATE);

  expect(t.gateway.submitted).toEqual([]);
  expect(await t.db.query('SELECT FROM submit_batch')).toEqual([]);
  await t.db.query('UPDATE message SET claimed_until = now()');
  await t.retry('TRANS', [t.id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${t.id}:1`, attempt: 2 }]);
});

test('a worker that was frozen after its claim submits nothing to the default gateway', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db);
  const claimNamed = t.channel.claimNamed.bind(t.channel);
  t.channel.claimNamed = async (...args) => {
    const claim = await claimNamed(...args);
    return { ...claim, claimedAt: claim.claimedAt - 8_500 };
  };

  await expect(t.dispatch('TRANS', [id])).rejects.toThrow('The claim of messages ended');

  expect(t.gateway.submitted).toEqual([]);
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

/** One message, accepted, with a route to two gateways; heartbeats of the database are known. */
async function setup(answer: Answer) {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  const t = await openSms(answer, second);
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  await noteSteadyHeartbeats(t.db);
  const { id } = await accept(t.db);
  return { ...t, id, second };
}
