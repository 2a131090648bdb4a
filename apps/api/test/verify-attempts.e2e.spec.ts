import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Answer, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import { PEPPER, askCode, createConfig, storeVerification, tryCode } from './verify-under-test.ts';

/** The other pepper of the API, before PEPPER in its list. */
const FIRST_PEPPER = randomBytes(32).toString('base64');

const t = await startSharedApi({
  env: { OTP_PEPPER: `${FIRST_PEPPER},${PEPPER}`, RATE_LIMIT_PER_MINUTE: '1000000' },
});

let numbers = 919_800_100_000;
const newNumber = (): string => String((numbers += 1));
const store = (given: Parameters<typeof storeVerification>[1] = {}): ReturnType<typeof storeVerification> =>
  storeVerification(t.db, { recipient: newNumber(), ...given });

const remaining = (answer: Answer): unknown =>
  (answer.body.error as { attemptsRemaining?: number }).attemptsRemaining;
const codes = (answers: Answer[]): (string | undefined)[] => answers.map(({ body }) => body.error?.code);

async function attemptsOf(verifyId: string): Promise<number> {
  const [row]: { attempts: number }[] = await t.db.query('SELECT attempts FROM verification WHERE id = $1', [
    verifyId,
  ]);
  return row?.attempts ?? -1;
}

test('a right code works once, with letters in either case', async () => {
  const { id } = await store({ code: 'K7PXM2QA' });

  const answers = [await tryCode(t, id, 'k7pxm2qa'), await tryCode(t, id, 'K7PXM2QA')];

  expect(answers[0]?.body).toEqual({ data: id, message: 'The code is correct.', error: null });
  expectFailure(answers[1]!, 409, 'otp_already_used');
});

test.each([
  ['first', FIRST_PEPPER],
  ['second', PEPPER],
])('a code under the %s of two peppers is right', async (_place, pepper) => {
  const { id, code } = await store({ pepper });

  expect((await tryCode(t, id, code)).status).toBe(200);
});

test('a code under a pepper that is not listed is wrong', async () => {
  const { id, code } = await store({ pepper: randomBytes(32).toString('base64') });

  expectFailure(await tryCode(t, id, code), 400, 'otp_incorrect');
});

test('after five wrong codes the right one is refused, too', async () => {
  const { id, code } = await store();

  const answers = [];
  for (let i = 0; i < 5; i += 1) answers.push(await tryCode(t, id, '000000'));

  for (const answer of answers) expectFailure(answer, 400, 'otp_incorrect');
  expect(answers.map(remaining)).toEqual([4, 3, 2, 1, 0]);
  expectFailure(await tryCode(t, id, code), 429, 'otp_attempts_exceeded');
  expect(await attemptsOf(id)).toBe(5);
});

test('the wait after the last attempt is that of the next code', async () => {
  const configId = await createConfig(t);
  const { id, recipient, code } = await store({ configId, maxAttempts: 1 });
  await t.db.query(
    `UPDATE verification_number
        SET sends = (SELECT jsonb_agg(jsonb_build_object(
              'at', extract(epoch FROM now()) * 1000 - ago * 1000, 'configId', $2::text, 'verifyId', $3::text
            )) FROM unnest(ARRAY[100, 60, 40]) AS ago)
      WHERE recipient = $1`,
    [recipient, configId, id],
  );
  await tryCode(t, id, '000000');

  const spent = await tryCode(t, id, code);
  const next = await askCode(t, configId, recipient);

  expectFailure(spent, 429, 'otp_attempts_exceeded');
  expectFailure(next, 429, 'otp_send_limit'); // three in ten minutes
  expect(Number(next.headers['retry-after'])).toBeGreaterThan(300);
  expect(Number(spent.headers['retry-after'])).toBeGreaterThanOrEqual(Number(next.headers['retry-after']));
});

test('a locked number is locked, also for a verification without attempts', async () => {
  const { id, recipient, code } = await store({ maxAttempts: 1 });
  await tryCode(t, id, '000000');
  await t.db.query(
    `UPDATE verification_number SET wrong_at = array_fill(now(), ARRAY[20]) WHERE recipient = $1`,
    [recipient],
  );

  const locked = await tryCode(t, id, code);

  expectFailure(locked, 429, 'otp_attempts_exceeded');
  expect(Number(locked.headers['retry-after'])).toBeGreaterThan(86_000);
});

test('a code expires by the clock of the database', async () => {
  const { id, code } = await store();
  await t.db.query(`UPDATE verification SET expires_at = now() WHERE id = $1`, [id]);

  expectFailure(await tryCode(t, id, code), 410, 'otp_expired');
});

test('calls of another account with the id neither delay a try nor learn its outcome', async () => {
  const { id, code } = await store();
  const other = await t.addKey('Hostile');
  let ended = 0;
  const foreign = Array.from({ length: 300 }, () => tryCode(t, id, code, other).finally(() => (ended += 1)));

  await Promise.race(foreign);
  const own = await tryCode(t, id, code);
  const before = ended;

  expect(own.status).toBe(200);
  expect(before).toBeLessThan(foreign.length / 2);
  for (const answer of await Promise.all(foreign)) expectFailure(answer, 404, 'verification_not_found');
});

test('unknown, foreign, replaced and malformed verify ids get the same answer', async () => {
  const { id, code } = await store();
  const replaced = await store();
  await t.db.query(`UPDATE verification SET status = 'REPLACED', code_mac = NULL WHERE id = $1`, [
    replaced.id,
  ]);
  const other = await t.addKey('Other');

  const answers = [
    await tryCode(t, randomUUIDv7(), code),
    await tryCode(t, id, code, other),
    await tryCode(t, replaced.id, replaced.code),
    await tryCode(t, 'x', code),
    await tryCode(t, id.toUpperCase(), code),
  ];

  for (const answer of answers) expectFailure(answer, 404, 'verification_not_found');
  expect(new Set(answers.map(sameForAll)).size).toBe(1);
  expect(await attemptsOf(id)).toBe(0);
});

test.each<[string, unknown, string]>([
  ['no code', undefined, 'otp required'],
  ['null', null, 'otp null_not_allowed'],
  ['an empty code', '', 'otp blank'],
  ['a blank code', '  ', 'otp blank'],
  ['a number', 482_913, 'otp invalid_type'],
  ['an array', ['482913'], 'otp invalid_type'],
  ['an object', { $ne: '' }, 'otp invalid_type'],
  ['true', true, 'otp invalid_type'],
  ['65 characters', '4'.repeat(65), 'otp max_length'],
  ['a NUL', '482913\u0000', 'otp invalid_character'],
])('%s is no try', async (_name, otp, broken) => {
  const { id } = await store();

  expectFailure(await tryCode(t, id, otp), 400, 'invalid_request', [broken]);
  expect(await attemptsOf(id)).toBe(0);
});

test.each([
  ['no id', undefined, 'verifyId required'],
  ['a number as an id', 5, 'verifyId invalid_type'],
  ['an empty id', '', 'verifyId blank'],
])('%s is refused', async (_name, verifyId, broken) => {
  expectFailure(await tryCode(t, verifyId, '482913'), 400, 'invalid_request', [broken]);
});

test('SQL, spaces and other digits are wrong codes', async () => {
  const { id } = await store({ maxAttempts: 10 });

  const answers = [];
  for (const otp of ["' OR 1=1 --", ' 482913', '482913 ', '４８２９１３', '%', '48291'])
    answers.push(await tryCode(t, id, otp));

  expect(new Set(codes(answers))).toEqual(new Set(['otp_incorrect']));
});

test('one of 200 concurrent right codes succeeds, the others are used already', async () => {
  const { id, code } = await store();

  const answers = await Promise.all(Array.from({ length: 200 }, () => tryCode(t, id, code)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error?.code === 'otp_already_used')).toHaveLength(199);
});

test('concurrent attempts count per verification', async () => {
  const rights = await Promise.all(Array.from({ length: 40 }, () => store()));
  const wrongs = await Promise.all(Array.from({ length: 40 }, () => store()));
  const calls = Array.from({ length: 20 }, () => [
    ...rights.map(({ id, code }) => tryCode(t, id, code)),
    ...wrongs.map(({ id }) => tryCode(t, id, '000000')),
  ]);

  const answers = await Promise.all(calls.flat());

  expect(
    answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => body.data)
      .toSorted(),
  ).toEqual(rights.map(({ id }) => id).toSorted());
  expect(await Promise.all(wrongs.map(({ id }) => attemptsOf(id)))).toEqual(wrongs.map(() => 5));
  expect(answers.filter(({ body }) => body.error?.code === 'otp_incorrect')).toHaveLength(200);
  expect(answers.filter(({ body }) => body.error?.code === 'otp_attempts_exceeded')).toHaveLength(600);
});

test('after 20 wrong codes in a day no code of the number is compared', async () => {
  const recipient = newNumber();
  const stored = [];
  for (let i = 0; i < 5; i += 1) stored.push(await store({ recipient, maxAttempts: 10 }));

  const tries = await Promise.all(
    stored.flatMap(({ id }) => Array.from({ length: 10 }, () => tryCode(t, id, '000000'))),
  );

  expect(tries.filter(({ body }) => body.error?.code === 'otp_incorrect')).toHaveLength(20);
  const locked = await tryCode(t, stored[0]!.id, stored[0]!.code);
  expectFailure(locked, 429, 'otp_attempts_exceeded');
  expect(Number(locked.headers['retry-after'])).toBeGreaterThan(86_300);
});

test('24 hours of attempts get 20 comparisons, and a later right code works', async () => {
  const recipient = newNumber();
  const tried: (string | undefined)[] = [];
  for (let hour = 0; hour < 24; hour += 1) {
    const { id } = await store({ recipient });
    for (let i = 0; i < 3; i += 1) tried.push((await tryCode(t, id, '000000')).body.error?.code);
    await t.db.query(
      `UPDATE verification_number SET wrong_at = ARRAY(SELECT w - interval '1 hour' FROM unnest(wrong_at) AS w) WHERE recipient = $1`,
      [recipient],
    );
  }

  expect(tried.filter((code) => code === 'otp_incorrect')).toHaveLength(20);
  const { id, code } = await store({ recipient });
  await t.db.query(`UPDATE verification_number SET wrong_at = wrong_at[2:] WHERE recipient = $1`, [
    recipient,
  ]);
  expect((await tryCode(t, id, code)).status).toBe(200);
});

test('a right code erases its stored digest', async () => {
  const { id, code } = await store();
  await tryCode(t, id, code);

  expect(await t.db.query('SELECT status, code_mac FROM verification WHERE id = $1', [id])).toEqual([
    { status: 'VERIFIED', code_mac: null },
  ]);
});
