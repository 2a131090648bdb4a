import { expect, test } from '@jest/globals';
import { hashApiKey } from '@signalbox/domain/api-key';
import { type Answer, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';
import { findChatAccount } from './templates-under-test.ts';

const t = await startSharedApi();

const get = (path: string): Promise<Answer> => t.call({ method: 'GET', path });
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `9198000${String(i).padStart(5, '0')}`);

test('an unknown parameter of a read is refused with the nearest known name', async () => {
  const refused = await get('/v1/messages?recipent=919800000100');

  expectFailure(refused, 400, 'unknown_parameter', ['recipent unknown_parameter']);
  expect(refused.body.message).toBe('recipent is unknown; did you mean recipient?');
  expect((await get('/v1/messages?zzzzzzzz=1')).body.message).toMatch(/the operation knows .*recipient/);
  expectFailure(await get('/v1/messages/x?limit=1'), 400, 'unknown_parameter', ['limit unknown_parameter']);
});

test('an unknown parameter of a write is refused', async () => {
  const typo = await t.call({ path: '/v1/sms?dryrun=true', body: GOOD_SMS });

  expectFailure(typo, 400, 'unknown_parameter', ['dryrun unknown_parameter']);
  expect(typo.body.message).toBe('dryrun is unknown; did you mean dryRun?');
  const body = { name: 'n', endPoint: 'http://127.0.0.1:8080/' };
  expectFailure(await t.call({ path: '/v1/webhooks?dryRun=true', body }), 400, 'unknown_parameter', [
    'dryRun unknown_parameter',
  ]);
});

test.each([
  ['/v1/messages/cancel', { filter: { channel: 'sms', campaign: 'Spring sale' } }, 'filter.campaign'],
  ['/v1/messages/cancel', { filter: { channel: 'sms' }, dryrun: true }, 'dryrun'],
  ['/v1/parked/free', { kind: 'message', account: 'x' }, 'account'],
  ['/v1/parked/discard', { kind: 'message', reason: 'x', account: 'x' }, 'account'],
  ['/v1/queues/callback/drain', { dryrun: true }, 'dryrun'],
  ['/v1/queues/callback/retry', { max: 1 }, 'max'],
  ['/v1/queues/callback/clean', { state: 'failed', dryrun: true }, 'dryrun'],
])('a call of %s with %j is refused, since it would reach more than was meant', async (path, body, field) => {
  expectFailure(await t.call({ path, body }), 400, 'invalid_request', [`${field} unknown_field`]);
});

test('the reads of chat templates ignore unknown parameters, and name them', async () => {
  const listed = await get(
    `/v1/chatapp/chatTemplateList?chatAccountId=${await findChatAccount(t)}&colour=red`,
  );

  expect([listed.status, listed.headers['ignored-fields']]).toEqual([200, 'colour']);
});

test('a send of up to 1 MiB is read, and a larger one is refused with the limit', async () => {
  const template = { name: 'values', text: 'Dear {{1}}, your order {{2}} has shipped.' };
  const { id } = (await t.call<{ id: string }>({ path: '/v1/sms/templates', body: template })).body.data;
  const to = numbers(10_000);
  const custom = to.map((number) => ['A name of some length', `order ${number}`]);
  const { sender, type } = GOOD_SMS;

  const sent = await t.call({ body: { sender, type, templateId: id, to, custom } });
  const tooLarge = await t.call({ body: { ...GOOD_SMS, text: 'x'.repeat(1_100_000) } });
  const elsewhere = await t.call({ path: '/v1/webhooks', body: { name: 'x'.repeat(300_000) } });

  expect([sent.status, sent.body.totalCount]).toEqual([200, 10_000]);
  expectFailure(tooLarge, 413, 'payload_too_large');
  expect(tooLarge.body.message).toMatch(/1024 KiB/);
  expect(elsewhere.body.message).toMatch(/256 KiB/);
});

test('a bulk above the whole limit of its key is refused permanently and costs nothing', async () => {
  const apikey = await t.addKey('Small');
  await t.db.query(`UPDATE api_key SET rate_limit_per_minute = 5 WHERE hash = $1`, [hashApiKey(apikey)]);
  const bulk = (count: number) => t.call({ body: { ...GOOD_SMS, to: numbers(count) }, headers: { apikey } });

  for (let i = 0; i < 8; i += 1) {
    const refused = await bulk(6);
    expectFailure(refused, 422, 'bulk_exceeds_rate_limit');
    expect(refused.body.message).toMatch(/limit is 5 points/);
  }

  expect((await bulk(5)).status).toBe(200);
  expectFailure(await bulk(2), 429, 'rate_limited');
});
