import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { type NewSubmission, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { submissionRow } from '@signalbox/domain/sealed-rows';
import { Sealer } from '@signalbox/runtime/seal';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE, type QueueBackend, describeOnEachQueue } from '../support/queue.ts';
import { newChat } from '../support/rows.ts';
import { TEMPLATE_SAMPLES } from '../support/template-samples.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import type { EntityManager } from 'typeorm';

const DEMO_SENDER = '15550100001';

test('a template and a text reach the phone and are read', async () => {
  await using t = await setup(A_QUEUE);
  const template = await t.createTemplate('order_details');
  const params = ['Asha', 'A-1001', 'Two books', '1,299', 'Monday'];

  const [first, second] = [
    newChat({ ...t.mine }),
    newChat({ ...t.mine, kind: 'template', content: { template: { ...template, params } } }),
  ];
  await t.send([first, second]);

  await t.until({ READ: 2 });
  const { body } = await t.p.get('/v1/simulator/phones/919800000100/messages');
  const received = body['data'] as { messageId: string }[];
  expect(received.find(({ messageId }) => messageId === `${first.id}:1`)).toMatchObject({
    channel: 'chatapp',
    from: DEMO_SENDER,
    text: 'Hello',
    content: { body: 'Hello' },
  });
  expect(received.find(({ messageId }) => messageId === `${second.id}:1`)).toMatchObject({
    text: 'Order details\nHi Asha, your order A-1001 of Two books comes to 1,299 and is expected on Monday\nThank you',
  });
});

describeOnEachQueue((queue) => {
  test('a code reaches the phone and its button, and is wiped from the database', async () => {
    await using t = await setup(queue);
    const template = await t.createTemplate('copy_code');
    const content = { template: { ...template, params: [] } };
    const chat = newChat({ ...t.mine, lane: 'CHAT_OTP', kind: 'template', content });

    const sealed = t.sealer.seal('482913', submissionRow(chat.accountId, chat.id));
    await t.send([{ ...chat, sealed }]);

    await t.until({ READ: 1 });
    const { body } = await t.p.get('/v1/simulator/phones/919800000100/messages');
    expect(body['data']).toMatchObject([
      {
        text: '482913 is your verification code. For your security, do not share this code.\nThis code expires in 10 minutes.',
        content: { buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code', code: '482913' }] },
      },
    ]);
    const isWiped = async () =>
      (await t.db.query<object[]>('SELECT FROM submission WHERE sealed IS NOT NULL')).length === 0;
    await waitFor(isWiped, { otherwise: 'the code was not wiped after its submit' });
  });
});

test('each script of the simulator has its outcome', async () => {
  await using t = await setup(A_QUEUE);
  const scripts = ['0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008', '0009', '1234'];

  await t.send(scripts.map((script) => newChat({ ...t.mine, recipients: [`91980000${script}`] })));

  await t.until({ READ: 7, FAILED: 2, SENT: 1 });
  await t.untilCalledBack();
  expect(await t.outcomes()).toEqual([
    '0001 FAILED 001 starts 1 after FAILED',
    '0002 FAILED 002 starts 1 after FAILED',
    '0003 READ 000 starts 3 after SENT DELIVERED READ',
    '0004 READ 000 starts 1 after SENT DELIVERED READ',
    '0005 READ 000 starts 1 after SENT DELIVERED READ',
    '0006 SENT null starts 1 after ',
    '0007 READ 000 starts 1 after SENT DELIVERED READ',
    '0008 READ 000 starts 1 after SENT DELIVERED READ',
    '0009 READ 000 starts 1 after SENT DELIVERED READ',
    '1234 READ 000 starts 1 after SENT DELIVERED READ',
  ]);
  expect(await t.db.query('SELECT sender, recipient, content, reply_to_n FROM inbound_message')).toEqual([
    { sender: '919800000007', recipient: DEMO_SENDER, content: { text: { body: 'YES' } }, reply_to_n: 1 },
  ]);
});

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const SECRETS_KEY = randomBytes(32).toString('base64');
  const env = { SIMULATOR_DELAY_MS: '20', SIMULATOR_INBOX: '1', TEMPLATE_REVIEW: 'auto', SECRETS_KEY };
  const p = started.use(await startPipeline({ queue, env, workers: ['chatapp', 'dlr'] }));
  const { db } = p;
  const demo = await findDemo(db);
  const all = started.move();
  return {
    p,
    db,
    sealer: new Sealer(SECRETS_KEY),
    /** Columns that the messages of the demo account share; no job is enqueued for them. */
    mine: { accountId: demo.accountId, sender: DEMO_SENDER, waits: true },
    send: (messages: NewSubmission[]) => insertSubmissions(db, messages),
    until: (wanted: Record<string, number>) =>
      waitFor(async () => isDeepStrictEqual(await countByStatus(db), wanted), {
        otherwise: `the statuses were not ${JSON.stringify(wanted)}`,
      }),
    /** Resolves when the customer's answer is stored: the last step of all scripts. */
    untilCalledBack: () =>
      waitFor(async () => (await db.query('SELECT FROM inbound_message')).length === 1, {
        otherwise: 'no answer was stored',
      }),
    outcomes: () => listOutcomes(db),
    createTemplate: (name: keyof typeof TEMPLATE_SAMPLES) => createTemplate(p, demo.chatAccountId, name),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function findDemo(db: EntityManager): Promise<{ chatAccountId: string; accountId: string }> {
  const [demo] = await db.query(
    `SELECT chat_account_id AS "chatAccountId", account_id AS "accountId" FROM chat_sender WHERE msisdn = $1`,
    [DEMO_SENDER],
  );
  return demo;
}

async function countByStatus(db: EntityManager): Promise<Record<string, number>> {
  const rows: { status: string; count: number }[] = await db.query(
    'SELECT status, count(*)::integer FROM message GROUP BY status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** `<script> <status> <error code> starts <count> after <reported statuses>` of each message. */
async function listOutcomes(db: EntityManager): Promise<string[]> {
  const rows: { line: string }[] = await db.query(
    `SELECT concat_ws(' ', right(m.recipient, 4), m.status, COALESCE(m.err_code, 'null'), 'starts', m.starts + m.throttles,
                      'after ') ||
            COALESCE(
              (SELECT string_agg(r.status, ' ' ORDER BY array_position(m.moved_by, r.id))
                 FROM message_event r WHERE r.id = ANY(m.moved_by)),
              ''
            ) AS line
       FROM message m ORDER BY 1`,
  );
  return rows.map(({ line }) => line);
}

/** Creates a template and waits for its approval. */
async function createTemplate(p: Pipeline, chatAccountId: string, name: keyof typeof TEMPLATE_SAMPLES) {
  const sample = { name, chatAccountId, ...TEMPLATE_SAMPLES[name] };
  const created = await p.post('/v1/chatapp/createChatTemplate', sample);
  const id = created.body['id'] as string;
  const view = async () =>
    (await p.get(`/v1/chatapp/getChatTemplate?id=${id}`)).body['data'] as Record<string, string>;
  await waitFor(async () => (await view())['status'] === 'Approved', {
    otherwise: 'the template was not approved',
  });
  const { language, category } = await view();
  return { id, version: 1, name, language: language!, category: category as 'UTILITY' };
}
