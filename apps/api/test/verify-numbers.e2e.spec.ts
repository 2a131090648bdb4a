import { expect, test } from '@jest/globals';
import { startSharedApi } from './api-under-test.ts';
import { askCode, createConfig, storeVerification, tryCode } from './verify-under-test.ts';

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

let numbers = 919_800_300_000;
const newNumber = (): string => String((numbers += 10_001));
const UNTIL = new Date(Date.now() + 3_600_000).toISOString();
const testNumbers = (...listed: string[]): object => ({
  testNumbers: listed.map((number) => ({ number, code: '424242', until: UNTIL })),
});
const verificationsOf = (recipient: string): Promise<{ id: string; status: string }[]> =>
  t.db.query('SELECT id, status FROM verification WHERE recipient = $1 ORDER BY created_at', [recipient]);

test.each(['[null]', '[5]', '["x"]', '5', '{}'])(
  'sends of %s fail no other request, and count as none',
  async (sends) => {
    const configId = await createConfig(t);
    const damaged = newNumber();
    await askCode(t, configId, damaged);
    await t.db.query('UPDATE verification_number SET sends = $2, wrong_at = $3 WHERE recipient = $1', [
      damaged,
      sends,
      '{NULL}',
    ]);
    await t.db.query(`UPDATE verification_quota SET uses = $1`, [sends]);

    const answers = await Promise.all(
      [damaged, newNumber(), newNumber()].map((to) => askCode(t, configId, to)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  },
);

test('a code is compared although its number has damaged wrong attempts', async () => {
  const { id, recipient } = await storeVerification(t.db, { recipient: newNumber() });
  await t.db.query(
    `UPDATE verification_number SET wrong_at = '{NULL}', sends = '[null]' WHERE recipient = $1`,
    [recipient],
  );

  expect((await tryCode(t, id, '000000')).body.error?.code).toBe('otp_incorrect');
});

test('of concurrent codes for a test number only the last one is open', async () => {
  const to = newNumber();
  const configId = await createConfig(t, testNumbers(to));

  const answers = await Promise.all(Array.from({ length: 10 }, () => askCode(t, configId, to)));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const open = (await verificationsOf(to)).filter(({ status }) => status !== 'REPLACED');
  expect(open).toHaveLength(1);
  expect(await t.db.query('SELECT sends FROM verification_number WHERE recipient = $1', [to])).toMatchObject([
    { sends: [{ verifyId: open[0]!.id }] },
  ]);
});

test('codes of a test number neither count towards its limits nor end them', async () => {
  const to = newNumber();
  const configId = await createConfig(t);
  const setTestNumbers = (...listed: string[]) =>
    t.call({ method: 'PATCH', path: `/v1/verify/configs/${configId}`, body: testNumbers(...listed) });
  const statuses: number[] = [];
  const ask = async (): Promise<void> => void statuses.push((await askCode(t, configId, to)).status);

  await ask();
  await setTestNumbers(to);
  await ask();
  await ask();
  await setTestNumbers();
  await ask(); // within the cooldown of the first
  await t.db.query(
    `UPDATE verification_number
        SET sends = (SELECT jsonb_agg(s) FROM jsonb_array_elements(sends) AS s WHERE s ? 'isTest')
      WHERE recipient = $1`,
    [to],
  );
  await ask(); // after codes of the test number only

  expect(statuses).toEqual([200, 200, 200, 429, 200]);
});

test('a refused request writes its number and its quota once', async () => {
  const to = newNumber();
  const configId = await createConfig(t);
  await askCode(t, configId, to);
  await t.db.query(`CREATE TABLE written (name text)`);
  await t.db.query(
    `CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql
     AS $$ BEGIN INSERT INTO written VALUES (TG_TABLE_NAME); RETURN NULL; END $$`,
  );
  for (const table of ['verification_number', 'verification_quota'])
    await t.db.query(
      `CREATE TRIGGER note_write AFTER UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION note_write()`,
    );

  expect((await askCode(t, configId, to)).status).toBe(429);

  expect(
    await t.db.query('SELECT name, count(*)::integer AS count FROM written GROUP BY name ORDER BY name'),
  ).toEqual([
    { name: 'verification_number', count: 1 }, // its lock
    { name: 'verification_quota', count: 2 }, // of its prefix and of the credits
  ]);
});
