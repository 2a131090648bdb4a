import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import { LANES } from '@signalbox/domain/lane';
import { type OutgoingSms, SmsGateway } from '@signalbox/gateways/sms-gateway';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import { Bell } from '@signalbox/runtime/bell';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { accept, openRows } from '@signalbox/test/rows';
import type { Queue } from 'bullmq';
import { ReportIntake } from './report-intake.ts';
import { SmsBells } from './sms.bells.ts';
import { SmsDispatcher } from './sms.dispatcher.ts';
import { SmsWriter } from './sms.writer.ts';

test('a job that runs twice submits each message once', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });

  await t.dispatcher.dispatch('TRANS', [id]);
  await t.dispatcher.dispatch('TRANS', [id]);

  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`, `${id}:2`]);
});

test('what a dead worker held is submitted again under the same id, once its claim has run out', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);
  t.gateway.fails = true;
  await expect(t.dispatcher.dispatch('TRANS', [id])).rejects.toThrow('the line is down');
  t.gateway.fails = false;

  await t.dispatcher.dispatch('TRANS', [id]);
  expect(t.gateway.submitted).toEqual([]);

  await t.db.query('UPDATE message SET claimed_until = now()');
  await t.dispatcher.dispatch('TRANS', [id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1`, attempt: 2 }]);
});

test('a throttled message stays pending and is rung for when it may be tried again', async () => {
  await using t = await setup({ result: 'throttled', retryAfterMs: 700 });
  const { id } = await accept(t.db);

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['PENDING']);
  expect(t.rings).toEqual([{ queue: SMS_QUEUE.TRANS, submissionIds: [id], delay: 700 }]);
});

test('a rejected message is reported failed, durably, before it stops being pending', async () => {
  await using t = await setup({ result: 'rejected', errCode: '021', description: 'Sender not allowed' });
  const { id } = await accept(t.db);

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(
    await t.db.query('SELECT submission_id, n, status, err_code, description FROM message_event'),
  ).toEqual([
    { submission_id: id, n: 1, status: 'FAILED', err_code: '021', description: 'Sender not allowed' },
  ]);
});

test('an unconfirmed message counts as sent and is never submitted twice', async () => {
  await using t = await setup({ result: 'unconfirmed' });
  const { id } = await accept(t.db);
  await t.dispatcher.dispatch('TRANS', [id]);
  await t.db.query('UPDATE message SET claimed_until = now()');

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(t.gateway.submitted).toHaveLength(1);
});

test('a large bulk rings for its next chunk before this one is submitted', async () => {
  await using t = await setup();
  const recipients = Array.from({ length: FAN_OUT_CHUNK + 1 }, (_, i) => String(919800000000 + i));
  const { id } = await accept(t.db, { recipients });

  await t.dispatcher.dispatch('PROMO', [id]);
  expect(t.gateway.submitted).toHaveLength(FAN_OUT_CHUNK);
  expect(t.rings).toEqual([{ queue: SMS_QUEUE.PROMO, submissionIds: [id], delay: 0 }]);

  await t.dispatcher.dispatch('PROMO', [id]);
  expect(t.gateway.submitted.map((message) => message.recipient)).toEqual(recipients);
});

test('a sealed text reaches the gateway, and is gone from the database after that', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, {
    lane: 'OTP',
    content: { unicode: false, flash: false },
    sealed: t.sealer.seal('Code 482913'),
  });

  await t.dispatcher.dispatch('OTP', [id]);

  expect(t.gateway.submitted[0]?.text).toBe('Code 482913');
  expect(await t.db.query('SELECT sealed FROM submission')).toEqual([{ sealed: null }]);
});

test('a text sealed with another key holds up nobody else', async () => {
  await using t = await setup();
  const foreign = new Sealer(randomBytes(32).toString('base64')).seal('Code 482913');
  const unreadable = await accept(t.db, {
    lane: 'OTP',
    content: { unicode: false, flash: false },
    sealed: foreign,
  });
  const { id } = await accept(t.db, { lane: 'OTP' });

  expect(await t.dispatcher.dispatch('OTP', [unreadable.id, id])).toMatchObject({
    fannedOut: 2,
    unreadable: 1,
  });
  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`]);
});

test('a report with a text that Postgres refuses is stored without it, and with the others of its batch', async () => {
  await using t = await setup();
  const report = (description: string, reportedAt: Date): GatewayReport => ({
    messageId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90:1',
    status: 'DELIVERED',
    errCode: '000',
    description,
    reportedAt,
  });

  await t.intake.receive('fake', [report('a\u0000b\ud800', new Date()), report('fine', new Date('x'))]);

  expect(await t.db.query('SELECT description FROM message_event ORDER BY description')).toEqual([
    { description: 'ab\ufffd' },
    { description: 'fine' },
  ]);
});

class FakeGateway extends SmsGateway {
  readonly name = 'fake';
  readonly submitted: OutgoingSms[] = [];
  fails = false;

  constructor(private readonly answer: Answer) {
    super();
  }

  async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    if (this.fails) throw new Error('the line is down');
    this.submitted.push(...messages);
    return messages.map(({ messageId }) => ({ messageId, ...this.answer }));
  }

  async query(): Promise<void> {}
  onReports(): void {}
  async close(): Promise<void> {}
}

type WithoutId<T> = T extends unknown ? Omit<T, 'messageId'> : never;
type Answer = WithoutId<SubmitOutcome>;

async function setup(answer: Answer = { result: 'accepted' }) {
  const rows = await openRows();
  const logger = createLogger('test', 'silent');
  const secret = randomBytes(32).toString('base64');
  const gateway = new FakeGateway(answer);
  const rings: { queue: string; submissionIds: string[]; delay: number }[] = [];
  const fakeQueue = (queue: string) => ({
    add: async (_: string, { submissionIds }: SmsJob, options?: { delay: number }) =>
      void rings.push({ queue, submissionIds, delay: options?.delay ?? 0 }),
    close: async () => undefined,
  });
  const queues = Object.fromEntries(
    LANES.map((lane) => [lane, fakeQueue(SMS_QUEUE[lane])]),
  ) as unknown as Record<'OTP' | 'TRANS' | 'PROMO', Queue<SmsJob>>;
  const bells = new SmsBells(queues, logger);
  const intake = new ReportIntake(
    rows.db,
    new Bell({ enqueue: async () => undefined, maxBatch: 100, onLost: () => undefined }),
    logger,
  );
  return {
    ...rows,
    gateway,
    rings,
    sealer: new Sealer(secret),
    intake,
    dispatcher: new SmsDispatcher(rows.db, gateway, intake, bells, new SmsWriter(rows.db, [secret], 90)),
    statuses: async () =>
      (await rows.db.query('SELECT status FROM message')).map((row: { status: string }) => row.status),
  };
}
