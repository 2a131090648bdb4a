import { countWaitingMessages } from '@signalbox/database/messages/waiting';
import { expect, test } from '@jest/globals';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

test('messages that no gateway takes are counted, and those that gateways throttle are not', async () => {
  await using t = await openSms(
    { result: 'throttled', scope: 'message', retryAfterMs: 100 },
    new FakeSmsGateway(ACCEPTED, 'second'),
  );
  t.router.followRoutes([routeTo(['fake'])]);
  const { id: throttled } = await accept(t.db);
  await t.dispatcher.dispatch('TRANS', [throttled]);
  t.gateway.status = 'down';
  t.gateway.detail = { takes: 'one' };
  const recipients = ['919800000001', '919800000002'];
  const { id } = await accept(t.db, { recipients });
  await t.dispatcher.dispatch('TRANS', [id]);
  await t.db.query(`UPDATE message SET due_at = now() WHERE due_at IS NULL`); // as the end of their batch does
  const count = () => countWaitingMessages(t.db, ['TRANS', 'OTP']);

  expect(await count()).toEqual([
    { lane: 'TRANS', messages: 2 },
    { lane: 'OTP', messages: 0 },
  ]);

  t.gateway.status = 'up';
  await t.db.query(
    `UPDATE message SET held_until = now() + interval '1 hour' WHERE submission_id = $1 AND n = 1`,
    [id],
  );
  expect((await count())[0]).toEqual({ lane: 'TRANS', messages: 1 });
});
