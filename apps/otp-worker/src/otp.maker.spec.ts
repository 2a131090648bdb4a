import { expect, test } from '@jest/globals';
import { testNumberRow } from '@signalbox/domain/sealed-rows';
import { otpMac } from '@signalbox/domain/verify/otp-code';
import { PEPPER, openCodes } from '../test/codes-under-test.ts';

test('a job that runs twice generates one code, kept as a MAC and a sealed text', async () => {
  await using t = await openCodes();
  const id = await t.ask();

  await t.maker.make([id]);
  const [first] = await t.submissions();
  expect(await t.maker.make([id])).toEqual({ made: 0, skipped: 1 });

  expect(await t.submissions()).toEqual([first]);
  expect(first).toMatchObject({
    lane: 'OTP',
    sender: 'SIGNALBX',
    recipients: ['919800000100'],
    content: { unicode: false, flash: false },
  });
  const code = /^Code (\d{6})$/.exec(t.open(first!))?.[1] ?? '';
  const [row] = await t.verifications();
  expect(row).toMatchObject({
    status: 'SENT',
    submission_id: first!.id,
    code_mac: otpMac(PEPPER, t.accountId, id, code),
  });
  expect(first!.expires_at).toEqual(row!.expires_at);
  expect(t.enqueued).toEqual({ sms: [first!.id], chatapp: [] });
});

test('two workers that run the same jobs generate one code each time', async () => {
  await using t = await openCodes();
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, i) => t.ask({ recipient: String(919_800_000_100 + i) })),
  );
  const other = t.newMaker();

  const made = await Promise.all([
    t.maker.make(ids),
    other.make(ids.toReversed()),
    t.maker.make(ids),
    other.make(ids),
  ]);

  const submissions = await t.submissions();
  expect(submissions).toHaveLength(20);
  expect(made.length).toBe(4);
  const rows = await t.verifications();
  for (const row of rows) {
    const sent = submissions.find(({ id }) => id === row.submission_id);
    const code = t.open(sent!).replace('Code ', '');
    expect(row.code_mac).toEqual(otpMac(PEPPER, t.accountId, row.id, code));
  }
});

test('an expired or replaced verification gets no code', async () => {
  await using t = await openCodes();
  const [expired, replaced] = [await t.ask(), await t.ask()];
  await t.rows.db.query(`UPDATE verification SET expires_at = now() WHERE id = $1`, [expired]);
  await t.ask({ replaces: replaced });

  expect(await t.maker.make([expired, replaced])).toEqual({ made: 0, skipped: 2 });
  expect(await t.submissions()).toEqual([]);
});

test('a test number gets its fixed code and no SMS', async () => {
  await using t = await openCodes();
  const id = await t.ask({ recipient: '919800000199', isTest: true });

  await t.maker.make([id]);

  expect(await t.submissions()).toEqual([]);
  expect(await t.verifications()).toMatchObject([
    { status: 'SENT', code_mac: otpMac(PEPPER, t.accountId, id, '424242') },
  ]);
  expect(await t.rows.db.query('SELECT FROM verification_stat')).toEqual([]);
});

test('a damaged test code fails no other code of its batch', async () => {
  await using t = await openCodes();
  const sealedCode = t.sealer
    .seal('424242', testNumberRow(t.accountId, t.configId, '919800000199'))
    .fill(0, 20, 24)
    .toString('base64');
  await t.rows.db.query(`UPDATE verification_config SET test_numbers = $1`, [
    JSON.stringify([{ number: '919800000199', sealedCode, until: '2030-01-01T00:00:00.000Z' }]),
  ]);
  const [damaged, other] = [await t.ask({ recipient: '919800000199', isTest: true }), await t.ask()];

  expect(await t.maker.make([damaged, other])).toEqual({ made: 2, skipped: 0 });

  expect(await t.verifications()).toMatchObject([{ status: 'SENT' }, { status: 'SENT' }]);
  expect(t.lines).toMatchObject([{ event: 'verification.test_code_unreadable', configId: t.configId }]);
});

test('a configuration that is invalid ends its own verifications only', async () => {
  await using t = await openCodes();
  const healthy = await t.ask();
  const configs = [
    ['flow', '[null]'],
    ['test_numbers', '5'],
    ['test_numbers', '[{"number": "919800000199"}]'],
  ] as const;
  const ids: string[] = [];
  for (const [column, value] of configs) ids.push(await t.askBroken(column, value));

  expect(await t.maker.make([...ids, healthy])).toEqual({ made: 1, skipped: configs.length });

  const statuses = new Map((await t.verifications()).map(({ id, status }) => [id, status]));
  expect(statuses.get(healthy)).toBe('SENT');
  expect(ids.map((id) => statuses.get(id))).toEqual(configs.map(() => 'EXPIRED'));
  expect(t.lines).toMatchObject(configs.map(() => ({ event: 'verification.unplannable' })));
});

test('a code that the database refuses keeps no other from being sent', async () => {
  await using t = await openCodes();
  const [refused, ...others] = [
    await t.ask(),
    await t.ask({ recipient: '919800000101' }),
    await t.ask({ recipient: '919800000102' }),
  ];
  await t.rows.db.query(
    `ALTER TABLE verification ADD CONSTRAINT planted CHECK (id <> '${refused}' OR status = 'WAITING')`,
  );

  expect(await t.maker.make([refused, ...others])).toEqual({ made: 2, skipped: 1 });

  expect((await t.verifications()).map(({ status }) => status)).toEqual(['WAITING', 'SENT', 'SENT']);
  expect(t.lines).toMatchObject([{ event: 'verification.refused', verifyId: refused }]);
});

test('credits include the last line, and sent codes are counted by country', async () => {
  await using t = await openCodes({ text: `{{code}} ${'x'.repeat(150)}`, webOtpDomain: 'example.com' });

  await t.maker.make([await t.ask(), await t.ask({ recipient: '15550100001', country: 'US' })]);

  const [sent] = await t.submissions();
  expect([sent!.credits, t.open(sent!).split('\n').at(-1)]).toEqual([
    2,
    expect.stringMatching(/^@example\.com #\d{6}$/),
  ]);
  expect(
    await t.rows.db.query('SELECT country, sent, verified FROM verification_stat ORDER BY country'),
  ).toEqual([
    { country: 'IN', sent: 1, verified: 0 },
    { country: 'US', sent: 1, verified: 0 },
  ]);
});
