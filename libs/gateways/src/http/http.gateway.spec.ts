import { afterEach, expect, jest, test } from '@jest/globals';
import { freePort } from '@signalbox/tools/servers/ports';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { SETTINGS, callbackTo, openGateway, rowOf, startVendor } from '../../test/http-vendor.ts';
import { SUBMISSION, sms } from '../../test/sms.ts';
import { WAIT } from '../../test/gateway.conformance.ts';
import { Health } from './health.ts';
import { HTTP_KIND } from './kind.ts';

const CALL = { heldMs: 0, isProbe: false };
const PROBE = { heldMs: 0, isProbe: true };
const HOUR_MS = 3_600_000;
const ALL_BUT_THE_DATE = [
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
] as const;

afterEach(() => void jest.useRealTimers());

const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => sms({ messageId: `${SUBMISSION}:${i + 1}` }));

test('a refusal keeps the code of the vendor and its errCode', async () => {
  await using vendor = await startVendor((_, response) => response.writeHead(400).end('{"code":7}'));
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });

  expect(await gateway.submit([sms()], WAIT)).toEqual([
    {
      messageId: `${SUBMISSION}:1`,
      result: 'rejected',
      errCode: '003',
      gatewayCode: '7',
      description: 'HTTP 400, code 7',
    },
  ]);
  expect(vendor.requests[0]?.headers).toMatchObject({ 'x-key': 'TOKEN', 'content-type': 'application/json' });
  await gateway.close();
});

test.each(['..', '.'])('the sender %j leads to no other path of the vendor', async (sender) => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"1"}'));
  const request = { ...SETTINGS.request, url: '{baseUrl}/v1/{sender}/messages' };
  const { gateway } = openGateway({ ...SETTINGS, request, baseUrl: vendor.origin });

  expect(await gateway.submit([sms({ sender })], WAIT)).toMatchObject([
    { result: 'rejected', errCode: '013' },
  ]);
  expect(await gateway.submit([sms({ sender: 'A./..B' })], WAIT)).toMatchObject([{ result: 'accepted' }]);
  expect(vendor.requests.map(({ url }) => url.pathname)).toEqual(['/v1/A.%2F..B/messages']);
  await gateway.close();
});

test('a vendor that asks for a delay gets no calls, and takes the messages later', async () => {
  let isBusy = true;
  await using vendor = await startVendor((_, response) =>
    isBusy ? response.writeHead(429, { 'retry-after': '1' }).end() : response.end('{"id":"1"}'),
  );
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 2 });

  const outcomes = await gateway.submit(batch(50), WAIT);
  expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['throttled']));
  expect(outcomes[0]).toMatchObject({ scope: 'gateway', retryAfterMs: 1_000 });
  expect(vendor.requests.length).toBeLessThanOrEqual(2);
  expect(gateway.state()).toMatchObject({ status: 'up', detail: { throttledUntil: expect.any(String) } });

  isBusy = false;
  await expect(untilAccepted(gateway)).resolves.toBe('accepted');
  await gateway.close();
});

test('a throttled sender does not stop the messages of the others', async () => {
  await using vendor = await startVendor(({ body }, response) =>
    body.includes('FULL') ? response.writeHead(429).end('{"code":5}') : response.end('{"id":"1"}'),
  );
  const answer = { ...SETTINGS.answer, throttledSenders: ['5'] };
  const { gateway } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });

  expect(await gateway.submit([sms({ text: 'FULL' })], WAIT)).toMatchObject([
    { result: 'throttled', scope: 'sender', retryAfterMs: 60_000 },
  ]);
  expect(await gateway.submit([sms()], WAIT)).toMatchObject([{ result: 'accepted' }]);
  await gateway.close();
});

test('refused credentials take the gateway down, with what to do, and fail no message', async () => {
  await using vendor = await startVendor((_, response) => response.writeHead(401).end());
  const { gateway, logged } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 1 });

  const outcomes = await gateway.submit(batch(3), WAIT);
  expect(outcomes.map(({ result }) => result)).toEqual(['throttled', 'throttled', 'throttled']);
  expect(vendor.requests).toHaveLength(1);
  expect(gateway.state()).toMatchObject({
    status: 'down',
    reason: `The address ${vendor.origin} refuses the credentials: correct the secrets or the user (HTTP 401).`,
  });
  expect(logged.map(({ event }) => event)).toEqual(['gateway.down']);
  await gateway.close();
});

test.each([
  ['the header', { 'retry-after': '0' }, ''],
  ['a time that has passed', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, ''],
  ['the body', {}, 'wait [ 0 ]'],
])('a vendor that asks for no delay by %s is called again after 200 ms', async (_, headers, body) => {
  await using vendor = await startVendor((_request, response) => response.writeHead(429, headers).end(body));
  const retryAfter = { source: '/wait \\[ (\\d+) \\]/', unit: 'ms' };
  const answer = { ...SETTINGS.answer, retryAfter };
  const { gateway } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });

  expect(await gateway.submit(batch(1), WAIT)).toMatchObject([{ result: 'throttled', retryAfterMs: 200 }]);
  await gateway.close();
});

test('a clock that is set back does not prolong the delay that a vendor asked for', async () => {
  jest.useFakeTimers({ doNotFake: [...ALL_BUT_THE_DATE] });
  await using vendor = await startVendor((_, response) =>
    response.writeHead(429, { 'retry-after': '60' }).end(),
  );
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });
  await gateway.submit(batch(1), WAIT);

  jest.setSystemTime(Date.now() - HOUR_MS);
  const [outcome] = await gateway.submit(batch(1), WAIT);

  expect(outcome?.result === 'throttled' && outcome.retryAfterMs).toBeLessThanOrEqual(60_000);
  await gateway.close();
});

test('a vendor in trouble is tried again with one message, and is up after its answer', () => {
  const now = { ms: 0 };
  const moves: string[] = [];
  const health = new Health(
    'https://a.test',
    () => now.ms,
    ({ status }) => moves.push(status),
  );
  health.noteDown('It refuses.', 30_000);
  expect([health.begin().heldMs, health.state(0).status]).toEqual([30_000, 'down']);

  now.ms = 30_000;
  expect(health.state(0)).toMatchObject({
    status: 'down',
    reason: 'It refuses. The next message tries it again.',
    detail: { takes: 'one' },
  });
  expect([health.begin(), health.begin()]).toEqual([PROBE, { heldMs: 1_000, isProbe: false }]);
  expect(health.state(0).detail).not.toHaveProperty('takes');
  health.endProbe();
  expect(health.begin()).toEqual(PROBE);
  health.noteAnswer(200);
  health.endProbe();
  expect([health.begin(), health.begin()]).toEqual([CALL, CALL]);
  expect(health.state(0).reason).toBe('The address https://a.test answers; the last status was 200.');
  expect(moves).toEqual(['down', 'up']);
});

test('a vendor that was never called is connecting and takes messages, until a call shows more', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"1"}'));
  const { gateway, logged } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });
  expect(gateway.state()).toMatchObject({
    status: 'connecting',
    reason: `Nothing has been sent to ${vendor.origin} yet: the first message shows whether it answers.`,
    detail: { takes: 'any' },
  });

  await vendor.stop();
  await gateway.submit(batch(1), WAIT);
  expect(gateway.state()).toMatchObject({ status: 'down', reason: expect.stringContaining('cannot be') });
  expect(gateway.state().detail).not.toHaveProperty('takes');
  expect(logged).toHaveLength(1);
  await gateway.close();
});

test('an outage is logged at its start and its end, and once when it needs a person', () => {
  const now = { ms: 0 };
  const moves: string[] = [];
  const health = new Health(
    'https://a.test',
    () => now.ms,
    ({ status, isFault }) => moves.push(`${status}${isFault ? ' by a fault' : ''}`),
  );
  for (let i = 0; i < 3; i += 1) health.noteUnreachable(`Attempt ${i} failed.`, 2_000);
  for (let i = 0; i < 3; i += 1) health.noteDown(`It refuses attempt ${i}.`, 2_000);
  health.noteUnreachable('It cannot be reached.', 2_000);
  health.noteAnswer(200);
  health.noteAnswer(200);

  expect(moves).toEqual(['down', 'down by a fault', 'up']);
});

test('a vendor that cannot be reached is logged once, with the reason', async () => {
  const { gateway, logged } = openGateway({ ...SETTINGS, baseUrl: `http://127.0.0.1:${await freePort()}` });

  await gateway.submit(batch(2), WAIT);
  await gateway.submit(batch(2), WAIT);

  expect(logged).toEqual([
    {
      event: 'gateway.state_changed',
      fields: { gateway: 'vendor', status: 'down', reason: expect.stringMatching(/cannot be reached/) },
    },
  ]);
  await gateway.close();
});

test('a redirect is not followed', async () => {
  await using vendor = await startVendor(({ url }, response) =>
    url.pathname === '/send'
      ? response.writeHead(302, { location: '/other' }).end()
      : response.end('{"id":"1"}'),
  );
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });

  expect(await gateway.submit([sms()], WAIT)).toMatchObject([{ result: 'throttled', scope: 'gateway' }]);
  expect(vendor.requests).toHaveLength(1);
  expect(gateway.state()).toMatchObject({ status: 'down', reason: expect.stringContaining('redirects') });
  await gateway.close();
});

test('private addresses need allowPrivateNetwork', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"1"}'));
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, allowPrivateNetwork: false });

  expect(await gateway.submit([sms()], WAIT)).toMatchObject([{ result: 'throttled', scope: 'gateway' }]);
  expect(vendor.connects()).toBe(0);
  expect(gateway.state()).toMatchObject({
    status: 'down',
    reason: expect.stringContaining('set allowPrivateNetwork to true'),
  });
  await gateway.close();
});

test('at most `concurrency` requests are in flight, on connections that are kept', async () => {
  let inFlight = 0;
  let most = 0;
  await using vendor = await startVendor((_, response) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    setImmediate(() => {
      inFlight -= 1;
      response.end('{"id":"1"}');
    });
  });
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 3 });

  await gateway.submit(batch(100), WAIT);

  expect(most).toBeLessThanOrEqual(3);
  expect(vendor.connects()).toBeLessThanOrEqual(3);
  expect(vendor.requests).toHaveLength(100);
  await gateway.close();
});

test('ids are stored before a message counts as accepted, where reports carry no other', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"a1"}'));
  const answer = { ...SETTINGS.answer, keepsIds: true };
  const { gateway, ids } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });

  expect(await gateway.submit([sms()], WAIT)).toMatchObject([
    { result: 'accepted', gatewayMessageIds: ['a1'] },
  ]);
  expect(ids).toEqual([
    {
      gatewayMessageId: 'a1',
      messageId: `${SUBMISSION}:1`,
      segment: 1,
      segments: 1,
      recipient: '919812345678',
    },
  ]);
  await gateway.close();
});

test('ids that the database refuses at first are stored later, and the message is unconfirmed', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"a1"}'));
  const answer = { ...SETTINGS.answer, keepsIds: true };
  const { gateway, ids, logged, database } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });
  database.isDown = true;

  expect(await gateway.submit([sms()], { ...WAIT, deadlineMs: 2_000 })).toEqual([
    { messageId: `${SUBMISSION}:1`, result: 'unconfirmed' },
  ]);
  expect(ids).toEqual([]);
  database.isDown = false;
  await waitFor(() => ids.length === 1);

  expect(ids).toMatchObject([{ gatewayMessageId: 'a1', messageId: `${SUBMISSION}:1` }]);
  expect(logged.map(({ event }) => event)).toContain('gateway.ids_not_stored');
  await gateway.close();
});

test('a close waits for ids that the database refuses at first', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"a1"}'));
  const answer = { ...SETTINGS.answer, keepsIds: true };
  const { gateway, ids, logged, database } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });
  database.isDown = true;
  const submitting = gateway.submit([sms()], WAIT);
  await waitFor(() => logged.length > 0);

  const closing = gateway.close();
  database.isDown = false;
  await closing;

  expect(ids).toMatchObject([{ gatewayMessageId: 'a1', messageId: `${SUBMISSION}:1` }]);
  expect(await submitting).toMatchObject([{ result: 'accepted' }]);
});

test('a passing fault is final the third time, however often the message has waited', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"code":"5"}'));
  const answer = { ...SETTINGS.answer, temporary: ['5'] };
  const { gateway } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });
  const results = [];
  for (const attempt of [40, 41, 42])
    results.push((await gateway.submit([sms({ attempt })], WAIT))[0]?.result);

  expect(results).toEqual(['throttled', 'throttled', 'rejected']);
  await gateway.close();
});

test('no setting reads a member that the body inherits', async () => {
  await using vendor = await startVendor((_, response) => response.end('{}'));
  const answer = { success: { source: 'constructor.name' }, id: '__proto__.id' };
  const { gateway } = openGateway({ ...SETTINGS, answer, baseUrl: vendor.origin });

  expect(await gateway.submit([sms()], WAIT)).toMatchObject([{ result: 'unconfirmed' }]);
  await gateway.close();
});

test('a callback of one message reports on no other', () => {
  const callback = { reports: { messageId: 'id', status: 's', statuses: { ok: 'DELIVERED' } } };
  const format = HTTP_KIND.callbacks!(rowOf({ ...SETTINGS, callback }))!;
  const read = format.read(
    format.keep!(callbackTo('https://a.test/?ref=a&sig=b', { json: { id: 'other', s: 'ok' } })),
  );
  expect(read.reports.map(({ messageId }) => messageId)).toEqual(['a']);
});

async function untilAccepted(gateway: ReturnType<typeof openGateway>['gateway']): Promise<string> {
  let result = '';
  await waitFor(async () => {
    const [outcome] = await gateway.submit([sms()] as never, WAIT);
    result = String(outcome?.result);
    return result === 'accepted';
  });
  return result;
}
