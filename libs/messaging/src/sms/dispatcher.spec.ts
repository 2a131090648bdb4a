import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { type GatewayChoice, Gateways } from '@signalbox/gateways/registry';
import { type OutgoingSms, SmsGateway } from '@signalbox/gateways/sms-gateway';
import { REPORT_QUEUE, SMS_QUEUES } from '@signalbox/queues/definitions';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { accept, openRows } from '@signalbox/test/rows';
import { recordingQueues } from '../../test/recording-queues.ts';
import { Dispatcher } from '../dispatcher.ts';
import { ReportIntake } from '../report-intake.ts';
import { SmsChannel } from './channel.ts';
import { Pace } from './pace.ts';
import { QuietHours } from './quiet-hours.ts';
import { SmsWriter } from './writer.ts';

test('a job that runs twice submits each message once', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });

  await t.dispatcher.dispatch('TRANS', [id]);
  await t.dispatcher.dispatch('TRANS', [id]);

  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`, `${id}:2`]);
});

test('a message of a dead worker is submitted again under its id once its lease has ended', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);
  t.gateway.fails = true;
  await expect(t.dispatcher.dispatch('TRANS', [id])).rejects.toThrow('the gateway is unreachable');
  t.gateway.fails = false;

  await t.dispatcher.dispatch('TRANS', [id]);
  expect(t.gateway.submitted).toEqual([]);

  await t.db.query('UPDATE message SET claimed_until = now()');
  await t.dispatcher.dispatch('TRANS', [id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1`, attempt: 2 }]);
});

test('a throttled message stays pending and is enqueued with the delay of the gateway', async () => {
  await using t = await setup({ result: 'throttled', retryAfterMs: 700 });
  const { id } = await accept(t.db);

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['PENDING']);
  expect(t.jobs).toEqual([
    { queue: SMS_QUEUES.TRANS.name, ids: [id], extra: { isRetry: true }, delayMs: 700 },
  ]);
});

test('a rejected message is reported failed, and the report is enqueued', async () => {
  await using t = await setup({ result: 'rejected', errCode: '021', description: 'Sender not allowed' });
  const { id } = await accept(t.db);

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(
    await t.db.query('SELECT submission_id, n, status, err_code, description FROM delivery_report'),
  ).toEqual([
    { submission_id: id, n: 1, status: 'FAILED', err_code: '021', description: 'Sender not allowed' },
  ]);
  expect(t.idsOf(REPORT_QUEUE)).toHaveLength(1);
});

test('an unconfirmed message is recorded as sent and never submitted twice', async () => {
  await using t = await setup({ result: 'unconfirmed' });
  const { id } = await accept(t.db);
  await t.dispatcher.dispatch('TRANS', [id]);
  await t.db.query('UPDATE message SET claimed_until = now()');

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(t.gateway.submitted).toHaveLength(1);
});

test('the next chunk of a large bulk is enqueued', async () => {
  await using t = await setup();
  const recipients = Array.from({ length: FAN_OUT_CHUNK + 1 }, (_, i) => String(919800000000 + i));
  const { id } = await accept(t.db, { recipients });

  await t.dispatcher.dispatch('PROMO', [id]);
  expect(t.gateway.submitted).toHaveLength(FAN_OUT_CHUNK);
  expect(t.jobs).toEqual([{ queue: SMS_QUEUES.PROMO.name, ids: [id] }]);

  await t.dispatcher.dispatch('PROMO', [id]);
  expect(t.gateway.submitted.map((message) => message.recipient)).toEqual(recipients);
});

test('a sealed text reaches the gateway and is then wiped', async () => {
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

test('a text sealed with another key does not block its batch', async () => {
  await using t = await setup();
  const foreign = new Sealer(randomBytes(32).toString('base64')).seal('Code 482913');
  const unreadable = await accept(t.db, {
    lane: 'OTP',
    content: { unicode: false, flash: false },
    sealed: foreign,
  });
  const { id } = await accept(t.db, { lane: 'OTP' });

  expect(await t.dispatcher.dispatch('OTP', [unreadable.id, id])).toMatchObject({
    claimed: 2,
    unreadable: 1,
  });
  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`]);
});

test('a report is stored without the characters that Postgres refuses', async () => {
  await using t = await setup();
  const report = (description: string, reportedAt: Date): GatewayReport => ({
    messageId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90:1',
    status: 'DELIVERED',
    errCode: '000',
    description,
    reportedAt,
  });

  await t.intake.receive('fake', [report('a\u0000b\ud800', new Date()), report('fine', new Date('x'))]);

  expect(await t.db.query('SELECT description FROM delivery_report ORDER BY description')).toEqual([
    { description: 'ab\ufffd' },
    { description: 'fine' },
  ]);
});

test('the messages of a batch go to the gateway chosen for each, and are recorded under its name', async () => {
  const second = new FakeGateway({ result: 'accepted' }, 'second');
  await using t = await setup({ result: 'accepted' }, second);
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002', '919800000004'] });

  expect(await t.dispatcher.dispatch('TRANS', [id])).toMatchObject({ submitted: 3 });

  expect(t.gateway.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:1`]);
  expect(second.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:2`, `${id}:3`]);
  expect(await t.db.query('SELECT n, gateway FROM message ORDER BY n')).toEqual([
    { n: 1, gateway: 'fake' },
    { n: 2, gateway: 'second' },
    { n: 3, gateway: 'second' },
  ]);
});

test('a gateway that fails does not keep the outcomes of another from being recorded', async () => {
  const second = new FakeGateway({ result: 'accepted' }, 'second');
  await using t = await setup({ result: 'accepted' }, second);
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });
  t.gateway.fails = true;

  await expect(t.dispatcher.dispatch('TRANS', [id])).rejects.toThrow('the gateway is unreachable');

  expect(await t.statuses()).toEqual(['PENDING', 'SENT']);
});

class FakeGateway extends SmsGateway {
  readonly submitted: OutgoingSms[] = [];
  fails = false;

  constructor(
    private readonly answer: Answer,
    readonly name = 'fake',
  ) {
    super();
  }

  async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    if (this.fails) throw new Error('the gateway is unreachable');
    this.submitted.push(...messages);
    return messages.map(({ messageId }) => ({ messageId, ...this.answer }));
  }

  async query(): Promise<void> {}
  onReports(): void {}
  async close(): Promise<void> {}
}

type WithoutId<T> = T extends unknown ? Omit<T, 'messageId'> : never;
type Answer = WithoutId<SubmitOutcome>;

/** Chooses the second gateway for even recipients. */
const BY_RECIPIENT: GatewayChoice<OutgoingSms> = {
  choose: ({ recipient }, [first, second = first]) => (Number(recipient) % 2 === 0 ? second : first),
};

/** @param others gateways beside the one that gives `answer` */
async function setup(answer: Answer = { result: 'accepted' }, ...others: FakeGateway[]) {
  const rows = await openRows();
  const { db } = rows;
  const secret = randomBytes(32).toString('base64');
  const gateway = new FakeGateway(answer);
  const gateways = new Gateways<OutgoingSms>([gateway, ...others], BY_RECIPIENT);
  const { queues, jobs, idsOf } = recordingQueues();
  const intake = new ReportIntake(db, queues, gateways, createLogger('test', 'silent'));
  const pace = new Pace(new Fleet({ beat: async (id) => [id], leave: async () => undefined }), gateways);
  const writer = new SmsWriter(db, [secret], 90);
  const channel = new SmsChannel(db, pace, await QuietHours.open(db, 'none'), writer);
  return {
    ...rows,
    gateway,
    jobs,
    idsOf,
    sealer: new Sealer(secret),
    intake,
    dispatcher: new Dispatcher(db, channel, gateways, queues, intake),
    statuses: async () =>
      (await db.query('SELECT status FROM message ORDER BY n')).map((row: { status: string }) => row.status),
  };
}
