import { expect, test } from '@jest/globals';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

test('a batch that is stored although its insert failed leaves no message unconfirmed', async () => {
  await using t = await openSms(ACCEPTED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);
  const { id } = await accept(t.db);
  const query = t.db.query.bind(t.db);
  let failures = 0;
  t.db.query = async (text: string, values?: unknown[]) => {
    const rows = await query(text, values);
    if (!text.includes('submit_batch') || failures++ > 0) return rows;
    throw new Error('Query read timeout');
  };

  await expect(t.dispatch('TRANS', [id])).rejects.toThrow('Query read timeout');

  expect(await query('SELECT FROM submit_batch')).toEqual([]);
  await query('UPDATE message SET claimed_until = now()');
  await t.retry('TRANS', [id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1` }]);
});
