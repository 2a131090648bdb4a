import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  type SimulatorStatus,
  chatSimulatorCallback,
  signChatCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { messageId } from '@signalbox/domain/message-id';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, type Call, expectFailure, startApi, startSharedApi } from './api-under-test.ts';

const [SECRET, OLD_SECRET] = ['the-secret-of-today', 'the-secret-of-before'];
const PATH = '/v1/callbacks/chat-simulator';
const t = await startSharedApi({
  workers: ['chatapp'],
  env: { CALLBACK_SECRETS: `chat-simulator:${SECRET},chat-simulator:${OLD_SECRET}` },
});

/** Calls back as a gateway does, without an API key. */
function callBack(body: Buffer, { headers, ...rest }: Call = {}, secret = SECRET): Promise<Answer> {
  return t.call({
    path: PATH,
    headers: { apikey: null, ...signChatCallback(body, secret), ...headers },
    body,
    ...rest,
  });
}

function status(given: Partial<SimulatorStatus> = {}): SimulatorStatus {
  const timestamp = new Date().toISOString();
  return {
    messageId: messageId(randomUUIDv7(), 1),
    status: 'delivered',
    errCode: '000',
    description: '',
    timestamp,
    ...given,
  };
}

const countCallbacks = async (): Promise<number> =>
  (await t.db.query(`SELECT count(*)::integer AS n FROM callback`))[0].n;
const untilRead = (): Promise<void> =>
  waitFor(async () => (await t.db.query(`SELECT FROM callback WHERE processed_at IS NULL`)).length === 0, {
    otherwise: 'a callback was not read',
  });

test('a callback signed with either of two secrets is stored unchanged before it is answered', async () => {
  const body = chatSimulatorCallback({ statuses: Array.from({ length: 1_000 }, () => status()) });
  const answer = await callBack(body);
  expect([answer.status, answer.body]).toEqual([
    200,
    { data: null, error: null, message: 'The callback was stored.' },
  ]);
  expect(await t.db.query(`SELECT body FROM callback`)).toEqual([{ body }]);
  expect((await callBack(chatSimulatorCallback({}), {}, OLD_SECRET)).status).toBe(200);
  await untilRead();
  expect(
    await t.db.query(
      `SELECT count(*)::integer AS n, count(DISTINCT submission_id)::integer AS messages FROM message_event`,
    ),
  ).toEqual([{ n: 1_000, messages: 1_000 }]);
});

test('a callback of a thousand statuses in 3 MiB, the most that Meta sends, is stored and read', async () => {
  const statuses = Array.from({ length: 1_000 }, () => status({ description: 'long'.repeat(720) }));
  const ids = statuses.map((each) => each.messageId.split(':')[0]);
  const body = chatSimulatorCallback({ statuses });
  expect(body.length).toBeGreaterThan(3_000_000);

  expect((await callBack(body)).status).toBe(200);

  await untilRead();
  expect(
    await t.db.query(
      'SELECT count(DISTINCT submission_id)::integer AS n FROM message_event WHERE submission_id = ANY ($1::uuid[])',
      [ids],
    ),
  ).toEqual([{ n: 1_000 }]);
});

test('a signed callback of any content is stored and delays no other', async () => {
  const bodies = [
    Buffer.from([0xff, 0xfe, 0x00]),
    Buffer.alloc(0),
    Buffer.from('{"statuses":{"__proto__":1}}'),
    Buffer.from('['.repeat(200_000)),
  ];
  for (const body of bodies)
    expect((await callBack(body, { headers: { 'content-type': 'text/html; charset=utf-8' } })).status).toBe(
      200,
    );
  expect((await callBack(chatSimulatorCallback({ statuses: [status()] }))).status).toBe(200);
  await untilRead();
  expect(await t.db.query(`SELECT count(*)::integer AS n FROM callback WHERE problem IS NOT NULL`)).toEqual([
    { n: bodies.length },
  ]);
});

test('the api reads a small callback itself, and leaves a large one to a worker', async () => {
  await using alone = await startApi({ env: { CALLBACK_SECRETS: `chat-simulator:${SECRET}` } });

  for (const count of [1, 200]) {
    const body = chatSimulatorCallback({ statuses: Array.from({ length: count }, () => status()) });
    const headers = { apikey: null, ...signChatCallback(body, SECRET) };
    expect((await alone.call({ path: PATH, headers, body })).status).toBe(200);
  }

  expect(
    await alone.db.query('SELECT processed_at IS NOT NULL AS "isRead" FROM callback ORDER BY id'),
  ).toEqual([{ isRead: true }, { isRead: false }]);
});

const GOOD = chatSimulatorCallback({ statuses: [] });
const signature = (secret: string) => signChatCallback(GOOD, secret)['x-hub-signature-256']!;
test.each<[string, Call, number, string]>([
  ['without a signature', { headers: { 'x-hub-signature-256': null } }, 401, 'signature_invalid'],
  [
    'signed with another secret',
    { headers: { 'x-hub-signature-256': signature('another secret 1') } },
    401,
    'signature_invalid',
  ],
  ['whose body is not the one that was signed', { body: '{}' }, 401, 'signature_invalid'],
  [
    'with two signatures',
    { headers: { 'x-hub-signature-256': `${signature(SECRET)}, ${signature(SECRET)}` } },
    401,
    'signature_invalid',
  ],
  ['of a gateway that nobody knows', { path: '/v1/callbacks/nobody' }, 404, 'route_not_found'],
  ['of a gateway that does not call back', { path: '/v1/callbacks/simulator' }, 404, 'route_not_found'],
  ['of a name that Postgres refuses', { path: '/v1/callbacks/a%00b' }, 404, 'route_not_found'],
  ['to a prototype', { path: '/v1/callbacks/__proto__' }, 404, 'route_not_found'],
  ['that is too large', { body: 'x'.repeat(4 * 1024 * 1024 + 1) }, 413, 'payload_too_large'],
  ['that is compressed', { headers: { 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
  ['that asks', { method: 'GET', body: undefined }, 401, 'signature_invalid'],
  ['by another method', { method: 'PUT' }, 405, 'method_not_allowed'],
])('a callback %s is refused, and nothing is stored', async (_, call, statusCode, code) => {
  const before = await countCallbacks();
  expectFailure(await callBack(GOOD, call), statusCode, code);
  expect(await countCallbacks()).toBe(before);
});

test('without a secret for its gateway, every callback is refused', async () => {
  await using closed = await startApi();
  const headers = { apikey: null, ...signChatCallback(GOOD, '') };
  expectFailure(await closed.call({ path: PATH, headers, body: GOOD }), 401, 'signature_invalid');
});

test('while the database is unavailable, a callback gets 503', async () => {
  await t.db.query(
    `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full' USING ERRCODE = '53100'; END $$`,
  );
  await t.db.query(`CREATE TRIGGER full_disk BEFORE INSERT ON callback EXECUTE FUNCTION full_disk()`);
  const refused = await callBack(GOOD);
  expectFailure(refused, 503, 'unavailable');
  expect(refused.headers['retry-after']).toBe('1');
  await t.db.query(`DROP FUNCTION full_disk CASCADE`);
  expect((await callBack(GOOD)).status).toBe(200);
});
