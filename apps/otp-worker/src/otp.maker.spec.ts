import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertVerifications, saveSends, holdNumbers } from '@signalbox/database/verifications';
import { insertConfig } from '@signalbox/database/verification-configs';
import { otpMac } from '@signalbox/domain/otp-code';
import { Bell } from '@signalbox/runtime/bell';
import { Sealer } from '@signalbox/runtime/seal';
import { openRows } from '@signalbox/tools/test/rows';
import { OtpMaker } from './otp.maker.ts';

const PEPPER = randomBytes(32).toString('base64');

test('a code is made once, however often its job runs, and only its MAC and a sealed text are kept', async () => {
  await using t = await setup();
  const id = await t.ask();

  await t.maker.run([id]);
  const [first] = await t.submissions();
  expect(await t.maker.run([id])).toEqual({ made: 0, skipped: 1 });

  expect(await t.submissions()).toEqual([first]);
  expect(first).toMatchObject({ lane: 'OTP', sender: 'SIGNALBX', recipients: ['919800000100'], content: { unicode: false, flash: false } });
  const code = /^Code (\d{6})$/.exec(t.sealer.open(first!.sealed))?.[1] ?? '';
  const [row] = await t.verifications();
  expect(row).toMatchObject({ status: 'SENT', submission_id: first!.id, code_mac: otpMac(PEPPER, t.accountId, id, code) });
  expect(first!.expires_at).toEqual(row!.expires_at);
  expect(t.rung).toEqual([first!.id]);
});

test('two workers that make the same codes at once make one each', async () => {
  await using t = await setup();
  const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => t.ask({ recipient: String(919_800_000_100 + i) })));
  const other = t.newMaker();

  const made = await Promise.all([t.maker.run(ids), other.run(ids.toReversed()), t.maker.run(ids), other.run(ids)]);

  const submissions = await t.submissions();
  expect(submissions).toHaveLength(20);
  expect(made.length).toBe(4);
  const rows = await t.verifications();
  for (const row of rows) {
    const sent = submissions.find(({ id }) => id === row.submission_id);
    const code = t.sealer.open(sent!.sealed).replace('Code ', '');
    expect(row.code_mac).toEqual(otpMac(PEPPER, t.accountId, row.id, code));
  }
});

test('a verification that is over, or was replaced, gets no code', async () => {
  await using t = await setup();
  const [over, replaced] = [await t.ask(), await t.ask()];
  await t.rows.db.query(`UPDATE verification SET expires_at = now() WHERE id = $1`, [over]);
  await t.ask({ replaces: replaced });

  expect(await t.maker.run([over, replaced])).toEqual({ made: 0, skipped: 2 });
  expect(await t.submissions()).toEqual([]);
});

test('a test number gets its fixed code, and no SMS', async () => {
  await using t = await setup();
  const id = await t.ask({ recipient: '919800000199', isTest: true });

  await t.maker.run([id]);

  expect(await t.submissions()).toEqual([]);
  expect(await t.verifications()).toMatchObject([{ status: 'SENT', code_mac: otpMac(PEPPER, t.accountId, id, '424242') }]);
  expect(await t.rows.db.query('SELECT FROM verification_stat')).toEqual([]);
});

test('parts are counted with the last line, and codes are counted as sent on their day', async () => {
  await using t = await setup({ text: `{{code}} ${'x'.repeat(150)}`, webOtpDomain: 'example.com' });

  await t.maker.run([await t.ask(), await t.ask({ recipient: '15550100001', country: 'US' })]);

  const [sent] = await t.submissions();
  expect([sent!.credits, t.sealer.open(sent!.sealed).split('\n').at(-1)]).toEqual([2, expect.stringMatching(/^@example\.com #\d{6}$/)]);
  expect(await t.rows.db.query('SELECT country, sent, verified FROM verification_stat ORDER BY country')).toEqual([
    { country: 'IN', sent: 1, verified: 0 },
    { country: 'US', sent: 1, verified: 0 },
  ]);
});

interface Asked {
  recipient: string;
  country: string;
  isTest: boolean;
  replaces: string | null;
}

interface StoredSubmission {
  id: string;
  lane: string;
  sealed: Buffer;
  credits: number;
  expires_at: Date;
}

async function setup(config: { text?: string; webOtpDomain?: string } = {}) {
  const rows = await openRows();
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const rung: string[] = [];
  const bell = new Bell({ enqueue: async (ids) => void rung.push(...ids), maxBatch: 100, onLost: () => undefined });
  const newMaker = (): OtpMaker => new OtpMaker(rows.db, sealer, PEPPER, bell);
  const [accountId, configId] = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Account')`, [accountId]);
  await insertConfig(rows.db, {
    id: configId,
    accountId,
    name: 'login',
    enabled: true,
    channel: 'sms',
    codeLength: 6,
    alphabet: 'numeric',
    ttlSeconds: 300,
    maxAttempts: 5,
    resendAfterSeconds: 30,
    maxSendsPer10Minutes: 3,
    maxSendsPerDay: 10,
    sender: 'SIGNALBX',
    text: 'Code {{code}}',
    webOtpDomain: null,
    androidHash: null,
    createdAt: new Date(),
    testNumbers: [{ number: '919800000199', sealedCode: sealer.seal('424242').toString('base64'), until: '2030-01-01T00:00:00.000Z' }],
    ...config,
  });
  return {
    rows,
    sealer,
    rung,
    accountId,
    maker: newMaker(),
    newMaker,
    /** Stores a verification as the API does. */
    ask: async (given: Partial<Asked> = {}): Promise<string> => {
      const asked = { recipient: '919800000100', country: 'IN', isTest: false, replaces: null, ...given };
      const id = randomUUIDv7();
      const held = await holdNumbers(rows.db, [{ accountId, recipient: asked.recipient }]);
      await saveSends(
        rows.db,
        held.map((number) => ({ ...number, sends: [{ at: number.now, configId, verifyId: id }] })),
      );
      const rest = { configId, keyId: randomUUIDv7(), maxAttempts: 5, ttlSeconds: 300, guardReason: null, idempotency: null };
      await insertVerifications(rows.db, [{ id, accountId, ...asked, ...rest }]);
      return id;
    },
    submissions: (): Promise<StoredSubmission[]> => rows.db.query('SELECT * FROM submission ORDER BY id'),
    verifications: (): Promise<{ id: string; submission_id: string; code_mac: Buffer; expires_at: Date }[]> =>
      rows.db.query('SELECT * FROM verification ORDER BY id'),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  };
}
