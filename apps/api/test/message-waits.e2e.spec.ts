import { beforeEach, expect, test } from '@jest/globals';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { TEMPLATE_SAMPLES } from '@signalbox/test/template-samples';
import { FROM, GOOD_TEXT, addTemplate } from './chatapp-under-test.ts';
import { GOOD_SMS, startSharedApi } from './api-under-test.ts';

const t = await startSharedApi();
beforeEach(async () => {
  await t.db.query(`TRUNCATE gateway, gateway_state, route, live_worker`);
  await t.db.query(
    `INSERT INTO live_worker (fleet, id, seen_at)
     SELECT fleet, uuidv7(), now() + interval '1 hour' FROM unnest('{sms,chatapp}'::text[]) AS f(fleet)`,
  );
});

/** Sends a message that no worker takes, accepted a minute ago, and returns why it waits. */
async function waitsFor(
  path = '/v1/sms',
  request: object = { ...GOOD_SMS, to: '919800000100' },
): Promise<string | null> {
  const { body } = await t.call({ path, body: request });
  await t.db.query(`UPDATE submission SET accepted_at = accepted_at - interval '1 minute' WHERE id = $1`, [
    body.id,
  ]);
  const answer = await t.call<{ waitsFor: string | null }>({
    method: 'GET',
    path: `/v1/messages/${body.id}:1`,
  });
  return answer.body.data.waitsFor;
}

async function addGateway(name: string, status?: string, enabled = true): Promise<void> {
  await t.call({ path: '/v1/gateways', body: { name, channel: 'sms', kind: 'simulator', enabled } });
  if (status !== undefined)
    await t.db.query(
      `INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
       SELECT id, uuidv7(), $2, 'Nothing listens at 10.0.0.1.', now(), '{}' FROM gateway WHERE name = $1`,
      [name, status],
    );
}

test('a message of a free lane waits for those before it', async () => {
  expect(await waitsFor()).toBe('Other messages of the lane TRANS are sent before it.');
});

test('a message of a channel without a worker waits for one', async () => {
  await t.db.query(`DELETE FROM live_worker WHERE fleet = 'sms'`);
  expect(await waitsFor()).toBe('No sms-worker runs: an operator starts one.');
  expect(await waitsFor('/v1/chatapp', GOOD_TEXT)).toContain('Other messages');

  await t.db.query(`UPDATE live_worker SET fleet = 'sms', seen_at = now() - interval '4 seconds'`);
  expect(await waitsFor()).toBe('No sms-worker runs: an operator starts one.');
  expect(await waitsFor('/v1/chatapp', GOOD_TEXT)).toBe('No chatapp-worker runs: an operator starts one.');
});

test('a message whose gateways are down or paused names them, and not their addresses', async () => {
  await addGateway('first', 'down');
  expect(await waitsFor()).toBe('No gateway takes it now: first is down.');
  await t.db.query(`UPDATE gateway_state SET detail = '{"takes": "one"}'`); // the next message tests it
  expect(await waitsFor()).toBe('No gateway takes it now: first is down.');

  await addGateway('second', 'up', false);
  const targets = [{ gateway: 'first' }, { gateway: 'second' }];
  await t.call({ path: '/v1/routes', body: { name: 'all', targets } });
  await t.call({ method: 'PATCH', path: '/v1/gateways/second', body: { enabled: true } });
  await t.call({ method: 'POST', path: '/v1/gateways/second/pause' });
  expect(await waitsFor()).toBe('No gateway takes it now: first is down, second is paused.');
});

test('a message whose only gateway is disabled names it', async () => {
  await addGateway('first', undefined, false);
  expect(await waitsFor()).toBe('No gateway takes it now: first is disabled.');
});

test('a marketing template waits for the gateway of its route', async () => {
  await addTemplate(t, 'sale', TEMPLATE_SAMPLES['marketing_text_header']!, 'approve');
  await addGateway('promotions', 'down');
  await addGateway('others', 'up', false);
  for (const [name, match] of Object.entries({ promotions: { types: ['PROMO'] }, others: {} }))
    await t.call({ path: '/v1/routes', body: { name, match, targets: [{ gateway: name }] } });
  await t.db.query(`UPDATE route SET match = '{"types": ["TRANS", "OTP"]}' WHERE name = 'others'`);
  await t.db.query(`UPDATE gateway SET channel = 'chatapp', enabled = true`);
  const body = {
    from: FROM,
    to: '919800000100',
    type: 'template',
    templateName: 'sale',
    components: { body: { params: ['Asha', 'SUN25', 'x'] } },
  };
  expect(await waitsFor('/v1/chatapp', body)).toBe('No gateway takes it now: promotions is down.');
  expect(await waitsFor('/v1/chatapp', GOOD_TEXT)).toBe(
    'Other messages of the lane CHAT are sent before it.',
  );
});

test('a message waits for its account or its lane while an operator pauses them', async () => {
  await t.call({ method: 'POST', path: '/v1/queues/sms-trans/pause' });
  expect(await waitsFor()).toBe('The lane TRANS is paused: an operator resumes its queue.');
  await t.call({ method: 'POST', path: '/v1/queues/sms-trans/resume' });

  await t.db.query(`UPDATE account SET paused_at = now()`);
  expect(await waitsFor()).toBe('The account is paused: an operator resumes it.');
  await t.db.query(`UPDATE account SET paused_at = NULL`);
});

test('a message waits for an operator while its send is parked, and for the rate of its send', async () => {
  const paced = { ...GOOD_SMS, to: ['919800000100', '919800000101'], ratePerSecond: 1 };
  expect(await waitsFor('/v1/sms', paced)).toBe(
    'Its send, or its account, has a limit of messages per second.',
  );
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await t.db.query(
    `UPDATE submission SET waits = true, due_at = 'infinity', accepted_at = now() - interval '1 minute' WHERE id = $1`,
    [id],
  );
  const { body } = await t.call<{ waitsFor: string }>({ method: 'GET', path: `/v1/messages/${id}:1` });
  expect(body.data.waitsFor).toBe('Its send is parked: an operator releases or discards it.');
});

test('a message that was claimed before its account was paused waits for its gateway', async () => {
  await addGateway('first', 'down');
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await fanOut(t.db, [id], 10);
  await t.db.query(`UPDATE account SET paused_at = now()`);
  const { body } = await t.call<{ waitsFor: string }>({ method: 'GET', path: `/v1/messages/${id}:1` });
  await t.db.query(`UPDATE account SET paused_at = NULL`);
  expect(body.data.waitsFor).toBe('No gateway takes it now: first is down.');
});

test('a discarded send lists its messages as failed', async () => {
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await t.db.query(
    `UPDATE submission SET cancelled_at = now(), fanned_out_at = now(), waits = false WHERE id = $1`,
    [id],
  );
  const one = await t.call<object>({ method: 'GET', path: `/v1/messages/${id}:1` });
  expect(one.body.data).toMatchObject({ status: 'Failed', errCode: '902', waitsFor: null });
  const pending = await t.call<object[]>({
    method: 'GET',
    path: `/v1/messages?submissionId=${id}&status=pending`,
  });
  expect(pending.body.data).toEqual([]);
});
