import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runCli } from '../support/run-cli.ts';

const [PERSON, OTHER] = ['919800000177', '919800000178'];
const USER_ID = 'IN.13491208655302741918';
/** The tables that hold a number as text. */
const TABLES = [
  'callback',
  'chat_pair',
  'chat_user',
  'gateway_message_id',
  'inbound_message',
  'inbound_segment',
  'message',
  'orphan_report',
  'phone_message',
  'push_attempt',
  'submission',
  'verification',
  'verification_number',
];
const SMS = { sender: 'SIGNALBX', type: 'TRANS' };

let p: Pipeline;
let receiver: Receiver;
let db: pg.Client;

beforeAll(async () => {
  receiver = await startReceiver(({ report: { mobileNumber = '' } }, response) => {
    response.statusCode = 500;
    response.end(`no account of ${mobileNumber}`);
  });
  p = await startPipeline({
    queue: A_QUEUE,
    env: { SIMULATOR_INBOX: '1', SIMULATOR_DELAY_MS: '0' },
    workers: ['sms', 'dlr', 'otp', 'chatapp'],
  });
  db = new pg.Client({ connectionString: p.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await p[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test('erasing a person leaves no trace of the number, and keeps the messages of others', async () => {
  await p.post('/v1/webhooks', { name: 'reports', endPoint: receiver.url });
  const scheduled = await send({ to: PERSON, text: 'Later', sendAt: new Date(Date.now() + 86_400_000) });
  const refused = {
    code: 1,
    output: expect.stringMatching(/^Nothing was erased: 1 message, code or report of 919800000177 is open\./),
  };
  expect([await erase(PERSON), await erase(PERSON, '--dry-run')]).toEqual([refused, refused]);
  await p.post(`/v1/sms/${scheduled}/cancel`, {});
  await leaveTraces();
  const before = await tablesWith(PERSON);
  expect(before).toEqual(TABLES);

  expect((await erase(PERSON, '--dry-run')).output).toMatch(
    /^Nothing was erased\. These rows would be deleted:/,
  );
  expect(await tablesWith(PERSON)).toEqual(before);
  const { code, output } = await erase(`+${PERSON}`);

  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^919800000177 is erased\. Deleted rows:\n[^]*  message +\d+\n/),
  ]);
  expect([await tablesWith(PERSON), await tablesWith(USER_ID)]).toEqual([[], []]);
  expect((await db.query(`SELECT recipients, custom FROM submission`)).rows).toEqual([
    { recipients: ['*******0000', OTHER], custom: [[], ['Bea']] },
  ]);
  expect((await db.query(`SELECT recipient, status FROM message`)).rows).toEqual([
    { recipient: OTHER, status: 'DELIVERED' },
  ]);
  expect((await erase(PERSON)).output).toBe('Nothing is stored about 919800000177.\n');
});

test('a word is refused', async () => {
  expect(await erase('Ann')).toEqual({
    code: 1,
    output: expect.stringMatching(/^Name one phone number, 7 to 15 digits/),
  });
});

/** Stores all kinds of rows of a person: messages in both directions, a code, failed pushes, and orphans. */
async function leaveTraces(): Promise<void> {
  await send({ to: PERSON, text: 'Hello' });
  const template = { name: 'hello', type: 'TRANS', text: 'Hello {{1}}' };
  const { id: templateId } = (await p.post('/v1/sms/templates', template)).body['data'] as { id: string };
  await send({ to: [PERSON, OTHER], templateId, custom: [['Ann'], ['Bea']] });
  const from = { channel: 'chatapp', from: PERSON, to: '15550100001', type: 'text', text: { body: 'Hi' } };
  await p.post('/v1/simulator/inbound', from);
  await p.post('/v1/chatapp', { from: '15550100001', to: PERSON, type: 'text', text: { body: 'Hello' } });
  const config = { name: 'login', sender: 'SIGNALBX', text: 'Code {{code}}' };
  const { id } = (await p.post('/v1/verify/configs', config)).body['data'] as { id: string };
  await p.post('/v1/verify', { configId: id, to: PERSON });
  await db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn) SELECT account_id, $1, $2 FROM message LIMIT 1`,
    [USER_ID, PERSON],
  );
  await p.post('/v1/chatapp', { from: '15550100001', to: USER_ID, type: 'text', text: { body: 'Hello' } });
  await waitFor(async () => (await countOpen()) === 0, { otherwise: 'not every message ended' });
  await db.query(
    `INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, recipient, err_code, description, reported_at)
     VALUES (uuidv7(), 'x', 'report', 'x', 'x', $1, '000', '', now())`,
    [PERSON],
  );
  await db.query(
    `INSERT INTO gateway_message_id (gateway, gateway_message_id, submission_id, n, segment, day, segments, recipient)
     VALUES ('x', 'x', uuidv7(), 1, 1, now(), 1, $1)`,
    [PERSON],
  );
  await db.query(
    `INSERT INTO inbound_segment (set_id, position, gateway, sender, recipient, reference_bits, reference, total,
                                  gateway_message_id, body, sent_at)
     VALUES (uuidv7(), 1, 'x', $1, '15550100001', 8, 1, 2, 'x', '\\x', now())`,
    [PERSON],
  );
}

const send = (fields: object): Promise<string> => p.send('/v1/sms', { ...SMS, ...fields });

/** Messages without an outcome, events without recorded pushes, codes that are not sent, and unread callbacks. */
async function countOpen(): Promise<number> {
  const { rows } = await db.query<{ open: number }>(
    `SELECT (SELECT count(*) FILTER (WHERE status NOT IN ('DELIVERED', 'READ', 'FAILED')) + abs(7 - count(*)) FROM message)::integer
          + (SELECT count(*) FROM message_event WHERE settled_at IS NULL)::integer
          + (SELECT count(*) FROM verification WHERE status <> 'SENT')::integer
          + (SELECT count(*) FROM callback WHERE processed_at IS NULL)::integer AS open`,
  );
  return rows[0]!.open;
}

/** Names of the tables with a row that holds a text, in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT relname AS name
       FROM pg_class
      WHERE relkind IN ('r', 'p')
        AND relnamespace = 'public'::regnamespace
        AND NOT relispartition
      ORDER BY 1`,
  );
  const found = [];
  for (const { name } of rows) {
    const { rowCount } = await db.query(
      `SELECT FROM "${name}" AS each WHERE each::text LIKE ANY (ARRAY['%' || $1 || '%', '%' || $2 || '%']) LIMIT 1`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (rowCount) found.push(name);
  }
  return found;
}

function erase(...args: string[]): ReturnType<typeof runCli> {
  return runCli(p.databaseUrl, 'erase', ...args);
}
