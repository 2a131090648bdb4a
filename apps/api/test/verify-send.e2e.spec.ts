import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { openDataSource } from '@signalbox/database/core/data-source';
import { untilOneWaits } from '@signalbox/test/locks';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import type { SendOutcome } from '../src/verify/send-call.ts';
import { openFindings } from '../src/verify/guard-findings.ts';
import { decideSends } from '../src/verify/send-batch.ts';
import { type Answer, type BadInput, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import { askCode, createConfig } from './verify-under-test.ts';

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

let numbers = 919_800_200_000;
const newNumber = (): string => String((numbers += 10_001));
const statusOf = async (verifyId: string): Promise<unknown> =>
  (await t.call<{ status: string }>({ method: 'GET', path: `/v1/verify/${verifyId}` })).body.data.status;
const countVerifications = async (): Promise<unknown> =>
  (await t.db.query('SELECT count(*)::integer AS count FROM verification'))[0];

/** Backdates the sends of a number. */
async function pass(recipient: string, seconds: number): Promise<void> {
  await t.db.query(
    `UPDATE verification_number SET sends = (SELECT jsonb_agg(s || jsonb_build_object('at', (s->>'at')::float8 - $2 * 1000)) FROM jsonb_array_elements(sends) AS s)
      WHERE recipient = $1`,
    [recipient, seconds],
  );
}

test('a damaged configuration fails its own requests only', async () => {
  const [good, bad] = [await createConfig(t), await createConfig(t)];
  await t.db.query(`UPDATE verification_config SET test_numbers = '5' WHERE id = $1`, [bad]);

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => askCode(t, i % 4 === 0 ? bad : good, newNumber())),
  );

  expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 4 === 0 ? 500 : 200)));
});

test('a request returns a verify id, under either name of the configuration', async () => {
  const configId = await createConfig(t);

  const sent = await askCode(t, configId, '+919800000100');
  const alias = await t.call<string>({
    path: '/v1/verify',
    body: { 'config-id': configId, to: '919800010101' },
  });
  const both = await t.call<string>({
    path: '/v1/verify',
    body: { 'config-id': configId, configId, to: '919800020102' },
  });

  expect([sent.status, sent.body]).toEqual([
    200,
    { data: expect.any(String), message: 'The code is on its way.', error: null },
  ]);
  expect([alias.status, both.status]).toEqual([200, 200]);
  expect((await t.call({ method: 'GET', path: `/v1/verify/${sent.body.data}` })).body.data).toEqual({
    verifyId: sent.body.data,
    configId,
    to: '919800000100',
    country: 'IN',
    status: 'Pending',
    attempts: 0,
    attemptsRemaining: 5,
    sends: 0,
    messages: [],
    steps: [],
    isTest: false,
    guardReason: null,
    createdAt: expect.stringMatching(/Z$/),
    sentAt: null,
    expiresAt: expect.stringMatching(/Z$/),
    verifiedAt: null,
  });
});

test('a new code replaces the previous one of its configuration and number', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  const first = await askCode(t, configId, to);
  const other = await askCode(t, await createConfig(t), to);
  await pass(to, 31);

  const second = await askCode(t, configId, to);

  expect(await Promise.all([first, other, second].map(({ body }) => statusOf(body.data)))).toEqual([
    'Replaced',
    'Pending',
    'Pending',
  ]);
});

test('a second code within the cooldown and a fourth in ten minutes must wait', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  expect((await askCode(t, configId, to)).status).toBe(200);

  const soon = await askCode(t, configId, to);
  expectFailure(soon, 429, 'otp_send_limit');
  expect(Number(soon.headers['retry-after'])).toBe(30);
  for (let i = 0; i < 2; i += 1) {
    await pass(to, 40);
    expect((await askCode(t, configId, to)).status).toBe(200);
  }
  await pass(to, 40);

  const fourth = await askCode(t, configId, to);
  expectFailure(fourth, 429, 'otp_send_limit');
  const waitSeconds = Number(fourth.headers['retry-after']);
  expect(waitSeconds).toBeLessThanOrEqual(600 - 120); // less by what this test took
  expect(waitSeconds).toBeGreaterThan(600 - 120 - 60);
});

test('the eleventh code of a day must wait until the first is a day old', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  for (let i = 0; i < 10; i += 1) {
    expect((await askCode(t, configId, to)).status).toBe(200);
    await pass(to, 1_000);
  }

  const eleventh = await askCode(t, configId, to);

  expectFailure(eleventh, 429, 'otp_send_limit');
  // the ten calls took a few seconds themselves
  const retryAfter = Number(eleventh.headers['retry-after']);
  expect(retryAfter).toBeLessThanOrEqual(86_400 - 10_000);
  expect(retryAfter).toBeGreaterThan(86_400 - 10_000 - 60);
});

test('20 concurrent calls for one number send one code', async () => {
  const configId = await createConfig(t);
  const to = newNumber();

  const answers = await Promise.all(Array.from({ length: 20 }, () => askCode(t, configId, to)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error?.code === 'otp_send_limit')).toHaveLength(19);
});

test('concurrent calls in several processes send one code and share quotas', async () => {
  const configId = await createConfig(t);
  const [{ accountId }] = await t.db.query(
    `SELECT account_id AS "accountId" FROM verification_config WHERE id = $1`,
    [configId],
  );
  const caller = {
    hash: Buffer.alloc(0),
    keyId: randomUUIDv7(),
    keyName: 'key',
    accountId,
    accountStatus: 'active',
    scopes: [],
    rateLimitPerMinute: null,
    isTest: true,
    isPaced: false,
  } as KeyHolder;
  const source = await openDataSource({
    url: t.p.databaseUrl,
    applicationName: 'test',
    poolSize: 6,
    commit: 'durable',
  });
  const findings = openFindings(source.manager);
  const recipients = Array.from({ length: 10 }, newNumber);
  const batch = (): Promise<SendOutcome[]> => {
    const calls = recipients
      .toSorted(() => Math.random() - 0.5)
      .map((recipient) => ({
        id: randomUUIDv7(),
        caller,
        configId,
        recipient,
        country: 'IN',
        idempotency: null,
      }));
    return decideSends(source.manager, calls, findings);
  };

  const outcomes = (await Promise.all(Array.from({ length: 12 }, batch))).flat();
  await source.destroy();

  expect(outcomes.filter(({ result }) => result === 'stored')).toHaveLength(10);
  expect(
    await t.db.query(
      `SELECT DISTINCT jsonb_path_query_array(uses, '$[*].amount') AS used FROM verification_quota WHERE quota = ANY($1)`,
      [recipients.map((each) => `prefix ${each.slice(0, -4)}`)],
    ),
  ).toEqual([{ used: [1] }]);
});

test('a number at its daily limit of wrong codes gets no further code', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  await askCode(t, configId, to);
  await t.db.query(
    `UPDATE verification_number SET wrong_at = array_fill(now() - interval '1 hour', ARRAY[20]) WHERE recipient = $1`,
    [to],
  );
  await pass(to, 60);

  const refused = await askCode(t, configId, to);

  expectFailure(refused, 429, 'otp_attempts_exceeded');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(22 * 3_600);
});

test('a repeat with the same idempotency key gets the first answer and sends nothing', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  const withKey = (key: string, number = to): Promise<Answer<string>> =>
    askCode(t, configId, number, { 'idempotency-key': key });

  const [first, second] = [await withKey('once'), await withKey('once')];

  expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
  expect(second.text).toBe(first.text);
  expectFailure(await withKey('once', newNumber()), 422, 'idempotency_key_reused');
  expectFailure(await withKey('other'), 429, 'otp_send_limit');
  await pass(to, 60);
  expect((await withKey('other')).status).toBe(200); // a call that was refused left its key free
});

test('a call that loses its idempotency key to another process changes nothing at its number', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  const { body } = await askCode(t, configId, to);
  await pass(to, 60);
  const read = () => t.db.query(`SELECT sends FROM verification_number WHERE recipient = $1`, [to]);
  const before = await read();
  let answer: Promise<Answer<string>> | undefined;

  await t.db.transaction(async (other) => {
    await other.query(
      `INSERT INTO idempotency_key (account_id, path, key, body_hash, resource_id)
       SELECT account_id, '/v1/verify', 'lost', '\\x00', uuidv7() FROM verification_config WHERE id = $1`,
      [configId],
    );
    answer = askCode(t, configId, to, { 'idempotency-key': 'lost' });
    await untilOneWaits(t.db);
  });

  expectFailure((await answer)!, 422, 'idempotency_key_reused');
  expect([await read(), await statusOf(body.data)]).toEqual([before, 'Pending']);
});

test('a number gets at most 200 codes a day over all configurations', async () => {
  const configId = await createConfig(t);
  const to = newNumber();
  await askCode(t, configId, to);
  await t.db.query(
    `UPDATE verification_number
        SET sends = (SELECT jsonb_agg(jsonb_build_object(
              'at', extract(epoch FROM now() - interval '1 hour') * 1000, 'configId', uuidv7(), 'verifyId', uuidv7()
            )) FROM generate_series(1, 200))
      WHERE recipient = $1`,
    [to],
  );

  const refused = await askCode(t, configId, to);

  expectFailure(refused, 429, 'otp_send_limit');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(22 * 3_600);
});

test('unknown, foreign, deleted and disabled configurations get the same answer', async () => {
  const other = await t.addKey('Other');
  const [theirs, deleted, disabled] = [
    await createConfig(t, {}, other),
    await createConfig(t),
    await createConfig(t, { enabled: false }),
  ];
  await t.call({ method: 'DELETE', path: `/v1/verify/configs/${deleted}` });
  const before = await countVerifications();

  const answers = [];
  for (const configId of [randomUUIDv7(), theirs, deleted, disabled, 'x', '{{1}}'])
    answers.push(await askCode(t, configId, newNumber()));

  for (const answer of answers) expectFailure(answer, 404, 'verification_config_not_found');
  expect(new Set(answers.map(sameForAll)).size).toBe(1);
  expect(await countVerifications()).toEqual(before);
  expect(await t.db.query(`SELECT FROM verification_number WHERE sends = '[]'`)).toEqual([]);
});

const body = (fields: object): { path: string; body: object } => ({
  path: '/v1/verify',
  body: { configId: randomUUIDv7(), to: '919800000100', ...fields },
});
const rows: BadInput[] = [
  ['no configuration', body({ configId: undefined }), 400, 'invalid_request', ['configId required']],
  ['an empty configuration', body({ configId: '' }), 400, 'invalid_request', ['configId blank']],
  ['a number as a configuration', body({ configId: 1 }), 400, 'invalid_request', ['configId invalid_type']],
  [
    'two configurations',
    body({ 'config-id': randomUUIDv7() }),
    400,
    'invalid_request',
    ['config-id not_allowed_value'],
  ],
  ['a dry run', body({ dryRun: true }), 400, 'invalid_request', ['dryRun not_applicable']],
  ['no number', body({ to: undefined }), 400, 'invalid_request', ['to required']],
  [
    'several numbers',
    body({ to: '919800000100,919800000101' }),
    400,
    'invalid_request',
    ['to invalid_format'],
  ],
  ['an array of numbers', body({ to: ['919800000100'] }), 400, 'invalid_request', ['to invalid_type']],
  ['a number as a number', body({ to: 919_800_000_100 }), 400, 'invalid_request', ['to invalid_type']],
  ['a short number', body({ to: '12345' }), 400, 'invalid_request', ['to invalid_format']],
  [
    'everything wrong at once',
    body({ configId: null, to: null }),
    400,
    'invalid_request',
    ['to null_not_allowed', 'configId required'],
  ],
];

test.each(rows)('%s is refused and leaves nothing behind', async (_name, call, status, code, broken) => {
  const before = await countVerifications();

  expectFailure(await t.call(call), status, code, broken);
  expect(await countVerifications()).toEqual(before);
});

test('numbers for tests work without limits, with test keys, until their time', async () => {
  const number = newNumber();
  const configId = await createConfig(t, {
    testNumbers: [
      { number: `+${number}`, code: 'abcd42', until: new Date(Date.now() + 60_000).toISOString() },
    ],
  });
  const liveKey = await createAccountKey(t.p.databaseUrl, 'Demo', 'live');

  const live = await askCode(t, configId, number, { apikey: liveKey });
  const first = await askCode(t, configId, number);
  const second = await askCode(t, configId, number);

  expectFailure(live, 400, 'invalid_request', ['to test_number']);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await t.call({ method: 'GET', path: `/v1/verify/${second.body.data}` })).body.data).toMatchObject({
    isTest: true,
  });
  expect(
    await t.db.query(
      `SELECT jsonb_path_query_array(sends, '$[*].verifyId') AS ids FROM verification_number WHERE recipient = $1`,
      [number],
    ),
  ).toEqual([{ ids: [second.body.data] }]);
  await t.db.query(
    `UPDATE verification_config SET test_numbers = jsonb_set(test_numbers, '{0,until}', '"2026-01-01T00:00:00.000Z"') WHERE id = $1`,
    [configId],
  );
  expect((await askCode(t, configId, newNumber(), { apikey: liveKey })).status).toBe(200);
});
