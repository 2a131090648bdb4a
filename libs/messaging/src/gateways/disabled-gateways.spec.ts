import { expect, test } from '@jest/globals';
import { accept, newGateway } from '@signalbox/test/rows';
import { openSms, routeTo } from '../../test/open-sms.ts';

test.each([
  ['without routes', []],
  ['with a route', [routeTo(['fake'])]],
])('a message waits while the only gateway of its channel is disabled, %s', async (_, routes) => {
  await using t = await openSms();
  t.gateways.follow([{ ...newGateway('fake'), enabled: false }]);
  t.router.followRoutes(routes);
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);

  expect(t.gateway.submitted).toEqual([]);
  expect(await t.statuses()).toEqual(['PENDING']);

  t.gateways.follow([newGateway('fake')]);
  await t.db.query(`UPDATE message SET claimed_until = now()`);
  await t.retry('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
});

test('the default gateway takes messages while its channel has no row', async () => {
  await using t = await openSms();
  t.gateways.follow([]);
  const { id } = await accept(t.db);

  await t.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
});
