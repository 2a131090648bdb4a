import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { fanOutChat } from '@signalbox/database/chat/fan-out';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import { insertTemplates } from '@signalbox/database/templates/templates';
import type { TemplateSend } from '@signalbox/domain/chat/message';
import type { ChatLane } from '@signalbox/domain/lane';
import { submissionRow } from '@signalbox/domain/sealed-rows';
import type { Category, TemplateComponent } from '@signalbox/domain/templates/template';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { CHAT_QUEUES, REPORT_QUEUES } from '@signalbox/queues/definitions';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { FakeGateway } from '@signalbox/test/fake-gateway';
import { accept, addSender, newChat, newGateway, openRows } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { recordingQueues } from '../../test/recording-queues.ts';
import { ClaimLeases } from '../lanes/claim-leases.ts';
import { Admission } from '../gateways/admission.ts';
import { Gateways } from '../gateways/gateways.ts';
import { GatewaysRate } from '../gateways/gateways-rate.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { RoutedSubmitter } from '../lanes/routed-submitter.ts';
import { Lanes } from '../lanes/lanes.ts';
import { Router } from '../gateways/router.ts';
import { Dispatcher } from '../lanes/dispatcher.ts';
import { ReportIntake } from '../reports/report-intake.ts';
import { Submitter } from '../lanes/submitter.ts';
import { ChatChannel } from './channel.ts';
import { ChatRenderer } from './renderer.ts';

const ORDER: TemplateComponent[] = [
  { type: 'BODY', text: 'Hi {{1}}, order {{2}} is on its way.' },
  { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track it', url: 'https://example.com/{{2}}' }] },
];
const CODE: TemplateComponent[] = [
  { type: 'BODY', text: '{{1}} is your code.' },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
];

test('a busy lane collects messages for longer, and codes never do', () => {
  const gaps = (lane: ChatLane): number[] =>
    [0, 1, 16, 400].map((claimed) => ChatChannel.prototype.gapMs(lane, claimed));

  expect(gaps('CHAT')).toEqual([25, 25, 28, 140]);
  expect(gaps('CHAT_OTP')).toEqual([25, 25, 25, 25]);
});

test('a ready message is rendered and submitted once', async () => {
  await using t = await setup();
  const template = await t.addTemplate('UTILITY', ORDER);
  const text = await t.accept();
  const filled = await t.accept({
    kind: 'template',
    content: { template: { ...template, params: ['{{2}}', 'A-1'] } },
  });

  expect(await t.dispatch()).toMatchObject({ claimed: 2, submitted: 2, unreadable: 0 });
  expect(await t.dispatch()).toMatchObject({ claimed: 0, submitted: 0 });

  const [first, second] = t.gateway.submitted.toSorted((a, b) => b.kind.localeCompare(a.kind));
  expect(first).toEqual({
    messageId: `${text.id}:1`,
    key: { submissionId: text.id, n: 1 },
    accountId: expect.any(String),
    sender: '15550100001',
    recipient: '919800000100',
    kind: 'text',
    template: null,
    content: { body: 'Hello' },
    attempt: 1,
    throttledAt: null,
  });
  expect(second).toMatchObject({
    messageId: `${filled.id}:1`,
    template: { name: 'example', language: 'en', category: 'UTILITY' },
    content: {
      body: 'Hi {{2}}, order A-1 is on its way.',
      buttons: [{ type: 'URL', text: 'Track it', url: 'https://example.com/A-1' }],
    },
  });
  expect(await t.statuses()).toEqual(['SENT', 'SENT']);
});

test('a template version is fetched once', async () => {
  await using t = await setup();
  const template = await t.addTemplate('UTILITY', ORDER);
  const send = () =>
    t.accept({ kind: 'template', content: { template: { ...template, params: ['a', 'b'] } } });
  await send();
  await t.dispatch();
  await t.db.query('DELETE FROM template_version');

  await send();

  expect(await t.dispatch()).toMatchObject({ submitted: 1, unreadable: 0 });
});

test('a message of a dead worker is submitted again under its id once its lease has ended', async () => {
  await using t = await setup();
  const { id } = await t.accept();
  await fanOutChat(t.db, 'CHAT', { budget: 1, after: null, leaseSeconds: LEASE_SECONDS }); // by a worker that died

  await t.dispatcher.retry('CHAT', [id]);
  expect(t.gateway.submitted).toEqual([]);

  await t.db.query('UPDATE message SET claimed_until = now()');
  await t.dispatcher.retry('CHAT', [id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1`, attempt: 2 }]);
});

test('a throttled message stays pending and is enqueued with the delay of the gateway', async () => {
  await using t = await setup({ result: 'throttled', scope: 'message', retryAfterMs: 700 });
  const { id } = await t.accept({ lane: 'CHAT_OTP' });

  await t.dispatch('CHAT_OTP');

  expect(await t.statuses()).toEqual(['PENDING']);
  expect(t.jobs).toEqual([
    { queue: CHAT_QUEUES.CHAT_OTP.name, ids: [id], extra: { isRetry: true }, delayMs: 700 },
  ]);
});

test('a rejected message is reported failed, and the report is enqueued', async () => {
  await using t = await setup({ result: 'rejected', errCode: '131', description: 'Not allowed\u0000' });
  const { id } = await t.accept();

  await t.dispatch();

  expect(await t.statuses()).toEqual(['SENT']);
  const reports = await t.db.query(
    'SELECT id, submission_id, status, err_code, description FROM message_event',
  );
  expect(reports).toMatchObject([
    { submission_id: id, status: 'FAILED', err_code: '131', description: 'Not allowed' },
  ]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toEqual([reports[0].id]);
});

test('an unconfirmed message is recorded as sent and never submitted twice', async () => {
  await using t = await setup({ result: 'unconfirmed' });
  const { id } = await t.accept();
  await t.dispatch();
  await t.db.query('UPDATE message SET claimed_until = now()');

  await t.dispatcher.retry('CHAT', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(t.gateway.submitted).toHaveLength(1);
});

test('a code reaches the gateway and is wiped, unless it is sealed with another key', async () => {
  await using t = await setup();
  const template = await t.addTemplate('AUTHENTICATION', CODE);
  const send = (sealer: Sealer, id = randomUUIDv7()) =>
    t.accept({
      id,
      lane: 'CHAT_OTP',
      kind: 'template',
      content: { template: { ...template, params: [] } },
      sealed: sealer.seal('482913', submissionRow(t.accountId, id)),
    });
  await send(new Sealer(randomBytes(32).toString('base64')));
  const { id } = await send(t.sealer);

  expect(await t.dispatch('CHAT_OTP')).toMatchObject({ claimed: 2, submitted: 1, unreadable: 1 });

  expect(t.gateway.submitted).toMatchObject([
    {
      messageId: `${id}:1`,
      content: { body: '482913 is your code.', buttons: [{ type: 'OTP', code: '482913' }] },
    },
  ]);
  expect(await t.db.query('SELECT id FROM submission WHERE sealed IS NULL')).toEqual([{ id }]);
  expect((await t.statuses()).toSorted()).toEqual(['PENDING', 'SENT']);
});

test('a message that cannot be rendered does not block its batch', async () => {
  await using t = await setup();
  const code = await t.addTemplate('AUTHENTICATION', CODE);
  const other = t.sealer.seal('482913', submissionRow(t.accountId, randomUUIDv7()));
  const template = { ...code, params: [] };
  const contents = [
    null,
    {},
    { text: null },
    { template: 5 },
    { template },
    { template: { ...template, id: 'x' } },
    { template: { ...template, version: 2 ** 40 } },
    { template: { ...template, id: randomUUIDv7() } },
  ];
  await t.accept({ lane: 'CHAT_OTP', kind: 'template', content: { template }, sealed: other });
  for (const content of contents) {
    const { id } = await t.accept({ lane: 'CHAT_OTP' });
    await t.db.query('UPDATE submission SET content = $1::jsonb WHERE id = $2', [
      JSON.stringify(content),
      id,
    ]);
  }
  const { id } = await t.accept({ lane: 'CHAT_OTP' });

  expect(await t.dispatch('CHAT_OTP')).toMatchObject({ submitted: 1, unreadable: contents.length + 1 });

  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1` }]);
  const reasons = t.lines.map(({ event, reason, submissions }) => [event, reason, submissions]);
  expect(reasons.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ['message.unreadable', 'content_invalid', 4],
    ['message.unreadable', 'sealed_value_damaged', 1],
    ['message.unreadable', 'template_unusable', 4],
  ]);
});

test('a template version whose components are invalid does not block the others', async () => {
  await using t = await setup();
  const [good, bad] = [await t.addTemplate('UTILITY', ORDER), await t.addTemplate('UTILITY', ORDER, 'bad')];
  await t.db.query(`UPDATE template_version SET components = '5' WHERE template_id = $1`, [bad.id]);
  const send = (template: Omit<TemplateSend, 'params'>) =>
    t.accept({ kind: 'template', content: { template: { ...template, params: ['a', 'b'] } } });
  await send(bad);
  const { id } = await send(good);

  expect(await t.dispatch()).toMatchObject({ submitted: 1, unreadable: 1 });
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1` }]);
});

class AnsweringGateway extends FakeGateway<OutgoingChatMessage> {
  readonly submitted: OutgoingChatMessage[] = [];

  constructor(private readonly answer: Answer) {
    super();
  }

  async submit(messages: OutgoingChatMessage[]): Promise<SubmitOutcome[]> {
    this.submitted.push(...messages);
    return messages.map(({ messageId }) => ({ messageId, ...this.answer }));
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, 'messageId'> : never;
type Answer = WithoutId<SubmitOutcome>;

test.each([
  `UPDATE submission SET recipients = '{NULL}' WHERE id = $1`,
  `INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, claimed_until, due_at)
   SELECT id, 1, account_id, lane, recipients[1], 'FAILED', 1, now(), NULL FROM submission WHERE id = $1`,
])('a submission that fails a round is set aside, and the others are sent', async (damage) => {
  await using t = await setup();
  const others = [await t.accept(), await t.accept()];
  const bad = await t.accept();
  others.push(await t.accept());
  await t.db.query(damage, [bad.id]);

  await t.lanes.serve('CHAT', { ids: [bad.id] }, 0);

  const sent = () => t.gateway.submitted.map(({ messageId }) => messageId).toSorted();
  await waitFor(() => sent().length === others.length);
  await waitFor(() => t.lines.some(({ event }) => event === 'lane.submission_refused'));
  await t.lanes.close();
  expect(sent()).toEqual(others.map(({ id }) => `${id}:1`).toSorted());
  expect(await t.db.query('SELECT id FROM submission WHERE waits')).toEqual([{ id: bad.id }]);
  expect(await t.db.query('SELECT kind, id FROM row_failure')).toEqual([{ kind: 'submission', id: bad.id }]);
  expect(await t.db.query('SELECT FROM ready_chat')).toEqual([]);
});

test('a lone gateway with a rate gets its messages at that rate', async () => {
  await using t = await setup();
  t.gateways.follow([newGateway('fake', { channel: 'chatapp', ratePerSecond: 10 })]);
  for (let n = 0; n < 20; n += 1) await t.accept();

  const rounds = [await t.dispatch(), await t.dispatch(), await t.dispatch()];

  expect(rounds[0]?.submitted).toBeGreaterThanOrEqual(3);
  expect(t.gateway.submitted.length).toBeLessThan(12);
  expect(rounds.map((round) => round?.throttled ?? 0)).toEqual([0, 0, 0]);
  expect(await t.statuses()).toHaveLength(t.gateway.submitted.length);
});

async function setup(answer: Answer = { result: 'accepted', gatewayMessageIds: [] }) {
  const rows = await openRows();
  const { db } = rows;
  const secret = randomBytes(32).toString('base64');
  const sealer = new Sealer(secret);
  const gateway = new AnsweringGateway(answer);
  const { queues, jobs, idsOf } = recordingQueues();
  const lines: { event: string; reason: string; submissions: number }[] = [];
  const logger = createLogger('test', 'error', { write: (line) => void lines.push(JSON.parse(line)) });
  const gateways = new Gateways<OutgoingChatMessage>(gateway, () => ({ gateway }), logger);
  const counts = new OutcomeCounts();
  const intake = new ReportIntake(db, queues, gateways, counts, logger);
  const router = new Router(gateways);
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  const admission = new Admission(router, gateways);
  const rate = new GatewaysRate(fleet, gateways, router, admission);
  const channel = new ChatChannel(db, new ChatRenderer(db, sealer, logger), rate);
  const submitter = new Submitter(channel, intake, new ClaimLeases(db, logger), counts, logger);
  const routed = new RoutedSubmitter(db, gateways, router, submitter, admission);
  const dispatcher = new Dispatcher(db, channel, queues, routed, logger);
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(db, accountId);
  return {
    ...rows,
    gateway,
    gateways,
    jobs,
    idsOf,
    lines,
    sealer,
    accountId,
    dispatcher,
    lanes: new Lanes(db, channel, dispatcher, new AccountThrottle(() => performance.now()), logger),
    accept: (given: Partial<NewSubmission> = {}) => accept(db, newChat({ accountId, ...given })),
    dispatch: async (lane: ChatLane = 'CHAT') => (await dispatcher.dispatchRound(lane, null))?.dispatched,
    statuses: async () =>
      (await db.query('SELECT status FROM message')).map((row: { status: string }) => row.status),
    addTemplate: async (
      category: Category,
      components: TemplateComponent[],
      name = 'example',
    ): Promise<Omit<TemplateSend, 'params'>> => {
      const template = { id: randomUUIDv7(), name, language: 'en', category };
      const whole = {
        ...template,
        chatAccountId,
        components,
        allowCategoryChange: false,
        codeExpirationMinutes: null,
      };
      await insertTemplates(db, accountId, [whole], 'test', new Date());
      return { ...template, version: 1 };
    },
  };
}
