import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sweepVerifications } from '@signalbox/database/verify/maintenance';
import { otpMac } from '@signalbox/domain/verify/otp-code';
import type { FlowStep, StopOn } from '@signalbox/domain/verify/otp-flow';
import { PEPPER, type StoredSubmission, TEMPLATE, openCodes } from '../test/codes-under-test.ts';

const CHAT: FlowStep = { channel: 'chatapp', afterSeconds: 0 };
const THEN_SMS: FlowStep[] = [CHAT, { channel: 'sms', afterSeconds: 30 }];

test('the chat app gets a code first, and the waiting SMS step stores it sealed', async () => {
  await using t = await setup();
  const id = await t.ask();

  await t.maker.make([id]);
  await t.maker.make([id]);
  await t.flow.pass();

  const [chat, ...others] = await t.submissions();
  expect(others).toEqual([]);
  expect(chat).toMatchObject({
    channel: 'chatapp',
    kind: 'template',
    lane: 'CHAT_OTP',
    sender: TEMPLATE.from,
    recipients: ['919800000100'],
    credits: 1,
  });
  expect(chat!.content).toEqual({
    template: {
      id: t.templateId,
      version: 1,
      name: 'login_code',
      language: 'en',
      category: 'AUTHENTICATION',
      params: [],
    },
  });
  const code = t.open(chat!);
  expect((await t.verifications())[0]).toMatchObject({
    submission_id: chat!.id,
    code_mac: otpMac(PEPPER, t.accountId, id, code),
  });
  expect(t.enqueued).toEqual({ chatapp: [chat!.id], sms: [] });
  expect(await t.steps()).toEqual(['1 SENT', '2 WAITING sealed']);
  expect(await t.dump()).not.toContain(code);
});

test('concurrent workers send a due SMS step once, with the same code', async () => {
  await using t = await setup();
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, i) => t.ask({ recipient: String(919_800_000_100 + i) })),
  );
  await t.maker.make(ids);
  await t.query(`UPDATE verification_step SET due_at = now() - interval '1 second' WHERE step = 2`);

  await Promise.all(Array.from({ length: 4 }, () => t.newFlow().pass()));
  await t.flow.pass();

  const [chat, sms] = [await t.of('chatapp'), await t.of('sms')];
  expect(sms.length).toBe(20);
  const first = new Map(chat.map((each) => [each.recipients[0], each]));
  for (const each of sms) {
    const before = first.get(each.recipients[0]!)!;
    expect([t.open(each), each.expires_at]).toEqual([`Code ${t.open(before!)}`, before.expires_at]);
  }
  expect(sms[0]).toMatchObject({
    lane: 'OTP',
    sender: 'SIGNALBX',
    kind: 'text',
    content: { unicode: false, flash: false },
  });
  expect(t.enqueued.sms.toSorted()).toEqual(sms.map(({ id }) => id).toSorted());
  expect(new Set(await t.steps())).toEqual(new Set(['1 SENT', '2 SENT']));
});

test('a step that is taken early is due at the time when it is taken', async () => {
  await using t = await setup();
  await t.maker.make([await t.ask()]);
  await t.fanOut();
  await t.query(`UPDATE message SET status = 'FAILED'`);

  await t.flow.pass();

  expect(await t.steps()).toEqual(['1 SENT', '2 SENT']);
  expect(await t.query('SELECT step FROM verification_step WHERE due_at > now()')).toEqual([]);
});

test('the step after a skipped one is due immediately', async () => {
  await using t = await setup();
  await t.query(`UPDATE template SET status = 'PAUSED'`);

  await t.maker.make([await t.ask()]);

  expect(await t.steps()).toEqual(['1 SKIPPED template_not_approved', '2 SENT']);
  expect(await t.query('SELECT step FROM verification_step WHERE due_at > now()')).toEqual([]);
});

const IS_USED = `UPDATE verification SET status = 'VERIFIED', verified_at = now(), code_mac = NULL`;

/** An event of the code, the configuration's `stopOn`, the second step afterwards, and the SQL of the event. */
const SECOND_STEPS: [string, StopOn, string, string][] = [
  ['sent', 'delivered', '2 WAITING sealed', `UPDATE message SET status = 'SENT'`],
  [
    'delivered',
    'delivered',
    '2 STOPPED delivered',
    `UPDATE message SET status = 'DELIVERED'; UPDATE verification_step SET due_at = now()`,
  ],
  ['read', 'delivered', '2 STOPPED delivered', `UPDATE message SET status = 'READ'`],
  ['used', 'delivered', '2 STOPPED verified', IS_USED],
  [
    'replaced',
    'delivered',
    '2 STOPPED replaced',
    `UPDATE verification SET status = 'REPLACED', code_mac = NULL`,
  ],
  ['expired', 'delivered', '2 STOPPED expired', `UPDATE verification SET expires_at = now()`],
  ['ended', 'delivered', '2 STOPPED expired', `UPDATE verification SET status = 'EXPIRED', code_mac = NULL`],
  ['failed', 'delivered', '2 SENT', `UPDATE message SET status = 'FAILED'`],
  ['delivered', 'verified', '2 WAITING sealed', `UPDATE message SET status = 'DELIVERED'`],
  ['used', 'verified', '2 STOPPED verified', IS_USED],
  ['failed', 'verified', '2 SENT', `UPDATE message SET status = 'FAILED'`],
];

describe('the second step', () => {
  let t: Awaited<ReturnType<typeof setup>>;
  beforeAll(async () => {
    t = await setup();
  });
  afterAll(async () => t[Symbol.asyncDispose]());
  beforeEach(() => t.query('TRUNCATE submission, message, verification, verification_step'));

  test.each(SECOND_STEPS)(
    'of a code that is %s, where a flow stops once it is %s, is %s',
    async (_what, stopOn, step, happens) => {
      await t.query(`UPDATE verification_config SET stop_on = '${stopOn}'`);
      await t.maker.make([await t.ask()]);
      await t.fanOut();

      await t.query(happens);
      await t.flow.pass();

      expect(await t.steps()).toEqual(['1 SENT', step]);
      expect((await t.of('sms')).length).toBe(step === '2 SENT' ? 1 : 0);
    },
  );

  test('is taken by the next worker when one dies in its transaction', async () => {
    await t.maker.make([await t.ask()]);
    await t.query(`UPDATE verification_step SET due_at = now() WHERE step = 2`);
    await t.query(`ALTER TABLE submission RENAME TO lost`);

    await expect(t.flow.pass()).rejects.toThrow('does not exist');
    await t.query(`ALTER TABLE lost RENAME TO submission`);
    expect(await t.steps()).toEqual(['1 SENT', '2 WAITING sealed']);
    await t.newFlow().pass();

    expect([await t.steps(), (await t.of('sms')).length]).toEqual([['1 SENT', '2 SENT'], 1]);
  });
});

test('a verification locked by a try is decided by the next pass', async () => {
  await using t = await setup();
  await t.maker.make([await t.ask()]);
  await t.query(`UPDATE verification_step SET due_at = now() WHERE step = 2`);

  await t.rows.db.transaction(async (trying) => {
    await trying.query(`UPDATE verification SET status = 'VERIFIED', verified_at = now(), code_mac = NULL`);
    await t.flow.pass();
  });
  await t.flow.pass();

  expect([await t.steps(), await t.of('sms')]).toEqual([['1 SENT', '2 STOPPED verified'], []]);
});

test('passes reach every step when there are more than one pass takes', async () => {
  await using t = await setup();
  await t.maker.make(
    await Promise.all(Array.from({ length: 5 }, (_, i) => t.ask({ recipient: String(919_800_000_100 + i) }))),
  );
  await t.fanOut();
  await t.query(
    `UPDATE message SET status = 'FAILED' WHERE submission_id = (SELECT submission_id FROM verification ORDER BY id DESC LIMIT 1)`,
  );
  const flow = t.newFlow();
  const pass = (): Promise<void> => flow.pass({ batches: 1, steps: 2 });

  await pass();
  await pass();
  expect(await t.of('sms')).toEqual([]);
  await pass();

  expect((await t.of('sms')).length).toBe(1);
});

test.each(['5', '{}', '{"lane": "LATER"}', '{"credits": 40000}'])(
  'a step whose message is damaged with %s is skipped, and the others are taken',
  async (damage) => {
    await using t = await setup();
    const ids = await Promise.all(
      Array.from({ length: 5 }, (_, i) => t.ask({ recipient: String(919_800_000_100 + i) })),
    );
    await t.maker.make(ids);
    await t.query(`UPDATE verification_step SET due_at = now() WHERE step = 2`);
    await t.query(
      `UPDATE verification_step
          SET message = CASE WHEN '${damage}' IN ('5', '{}') THEN '${damage}' ELSE message || '${damage}' END
        WHERE step = 2 AND verification_id = '${ids[2]}'`,
    );

    await t.flow.pass();

    expect((await t.steps()).toSorted()).toEqual([
      ...Array.from(ids, () => '1 SENT'),
      ...Array.from({ length: 4 }, () => '2 SENT'),
      '2 SKIPPED message_damaged',
    ]);
    expect(t.enqueued.sms).toEqual((await t.of('sms')).map(({ id }) => id));
    expect(t.lines).toMatchObject([{ event: 'verification.step_refused', verifyId: ids[2], step: 2 }]);
  },
);

test('a template that cannot be sent makes the SMS go immediately', async () => {
  await using t = await setup();
  const reasons = [];
  for (const happens of [
    `UPDATE template SET status = 'PAUSED'`,
    `WITH version AS (UPDATE template_version SET category = 'UTILITY')
     UPDATE template SET status = 'APPROVED'`,
    `UPDATE template SET deleted_at = now()`,
    `DELETE FROM chat_sender`,
  ]) {
    await t.query(happens);
    await t.maker.make([await t.ask()]);
    reasons.push((await t.steps()).slice(-2));
  }

  expect(reasons).toEqual([
    ['1 SKIPPED template_not_approved', '2 SENT'],
    ['1 SKIPPED template_not_approved', '2 SENT'],
    ['1 SKIPPED template_not_found', '2 SENT'],
    ['1 SKIPPED sender_not_found', '2 SENT'],
  ]);
  expect([await t.of('chatapp'), (await t.of('sms')).length]).toEqual([[], 4]);
});

test('a code without a possible step ends its verification and is not counted as sent', async () => {
  await using t = await setup({ flow: [CHAT] });
  await t.query(`UPDATE template SET status = 'PAUSED'`);

  expect(await t.maker.make([await t.ask()])).toEqual({ made: 0, skipped: 1 });

  expect(await t.verifications()).toMatchObject([{ status: 'EXPIRED', code_mac: null, sent_at: null }]);
  expect(await t.steps()).toEqual(['1 SKIPPED template_not_approved']);
  expect(await t.query('SELECT FROM verification_stat')).toEqual([]);
});

test('a test number gets no message on any channel', async () => {
  await using t = await setup();
  await t.maker.make([await t.ask({ recipient: '919800000199', isTest: true })]);

  expect([await t.steps(), await t.submissions()]).toEqual([[], []]);
});

test('steps are deleted with their verification', async () => {
  await using t = await setup();
  await t.maker.make([await t.ask()]);
  await t.query(`UPDATE verification_step SET verification_id = '01900000-0000-7000-8000-000000000001'`);
  await t.query(
    `UPDATE verification SET id = '01900000-0000-7000-8000-000000000001', status = 'EXPIRED', code_mac = NULL, counted = true`,
  );

  expect(await sweepVerifications(t.rows.db)).toBe(1);
  expect(await t.steps()).toEqual([]);
});

async function setup({ flow = THEN_SMS, stopOn = 'delivered' }: { flow?: FlowStep[]; stopOn?: StopOn } = {}) {
  const t = await openCodes({ flow, stopOn, template: TEMPLATE });
  const query = <Row>(sql: string): Promise<Row[]> => t.rows.db.query(sql);
  return {
    ...t,
    flow: t.newFlow(),
    query,
    of: async (channel: string): Promise<StoredSubmission[]> =>
      (await t.submissions()).filter((each) => each.channel === channel),
    /** Stores one message per submission, as the workers of the channels do. */
    fanOut: () =>
      query(`INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until)
             SELECT id, 1, account_id, recipients[1], 'PENDING', credits, now() FROM submission`),
    /** Steps as `<step> <status> <reason>`, followed by `sealed` where a message is stored. */
    steps: async (): Promise<string[]> => {
      const rows = await query<{ line: string }>(
        `SELECT concat_ws(' ', step, status, reason, CASE WHEN sealed IS NOT NULL OR message IS NOT NULL THEN 'sealed' END) AS line
           FROM verification_step ORDER BY verification_id, step`,
      );
      return rows.map(({ line }) => line);
    },
    dump: async (): Promise<string> =>
      JSON.stringify(
        await query(
          'SELECT s::text AS step, v::text AS verification FROM verification_step s, verification v',
        ),
      ),
  };
}
