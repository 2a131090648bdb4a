import { randomUUIDv7 } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { messageId } from '@signalbox/domain/message-id';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { CallbackFormat, ReadCallback } from '@signalbox/gateways/callback-format';
import type { TemplateChange } from '@signalbox/gateways/provider-changes';
import {
  type SimulatorInbound,
  type SimulatorStatus,
  chatSimulatorCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { CALLBACK_QUEUE, REPORT_QUEUES } from '@signalbox/queues/definitions';
import { INTAKE_GAP } from '@signalbox/runtime/group-commit';
import { Sealer } from '@signalbox/runtime/seal';
import { accept, openRows } from '@signalbox/test/rows';
import { recordingQueues } from '../../test/recording-queues.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { CallbackFormats } from './callback-formats.ts';
import { CallbackIntake } from './callback-intake.ts';

const GATEWAY = 'chat-simulator';
const MAX_READ_BYTES = 16 * 1024;

/** Timers that stay real, so that only timeouts wait for the test. */
const REAL_TIMERS = [
  'Date',
  'setImmediate',
  'setInterval',
  'queueMicrotask',
  'nextTick',
  'performance',
] as const;

test('a callback with nothing but reports is stored with them, and its reports are enqueued', async () => {
  await using t = await setup();
  const body = chatSimulatorCallback({ statuses: [status(), status({ status: 'delivered' })] });

  const id = await t.intake.receive(GATEWAY, body);

  expect(await t.callbacks()).toEqual([{ id, gateway: GATEWAY, body, isRead: true, problem: null }]);
  const reports = await t.db.query('SELECT id, status FROM message_event ORDER BY status DESC');
  expect(reports).toEqual([
    { id: expect.any(String), status: 'SENT' },
    { id: expect.any(String), status: 'DELIVERED' },
  ]);
  const ids = reports.map((report: { id: string }) => report.id);
  expect(t.jobs).toEqual([{ queue: REPORT_QUEUES.OTHER.name, ids }]);
  expect(await t.transactionsOf('callback', 'message_event', 'report_batch')).toBe(1);
  expect(t.counts.take()).toEqual([expect.objectContaining({ gateway: GATEWAY, delivered: 1 })]);
});

test('reports about codes are enqueued to their own queue', async () => {
  await using t = await setup();
  const code = await accept(t.db, { lane: 'OTP', recipients: ['919800000001'] });
  const statuses = [status(), status({ messageId: messageId(code.id, 1) })];

  await t.intake.receive(GATEWAY, chatSimulatorCallback({ statuses }));

  const [ofCode] = await t.db.query('SELECT id FROM message_event WHERE is_code');
  expect(t.idsOf(REPORT_QUEUES.OTP)).toEqual([ofCode.id]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toHaveLength(1);
});

test.each<[string, string, Buffer]>([
  ['of a gateway that is not known', 'nobody', Buffer.from('{}')],
  ['that cannot be read', GATEWAY, Buffer.from('[')],
  [
    'with a report that names no message',
    GATEWAY,
    chatSimulatorCallback({ statuses: [status({ messageId: 'x' })] }),
  ],
  ['with a message', GATEWAY, chatSimulatorCallback({ statuses: [status()], messages: [message()] })],
  [
    'that is larger than a limit',
    GATEWAY,
    chatSimulatorCallback({ statuses: [status({ description: 'long'.repeat(MAX_READ_BYTES) })] }),
  ],
])('a callback %s is enqueued to be read', async (_, gateway, body) => {
  await using t = await setup();

  const id = await t.intake.receive(gateway, body);

  expect(await t.callbacks()).toEqual([{ id, gateway, body, isRead: false, problem: null }]);
  expect(await t.db.query('SELECT FROM message_event')).toEqual([]);
  expect(t.jobs).toEqual([{ queue: CALLBACK_QUEUE.name, ids: [id] }]);
});

const TWILIO = { kind: 'http', settings: { preset: 'twilio' } };
const REPORT: GatewayReport = {
  messageId: messageId(randomUUIDv7(), 1),
  status: 'FAILED',
  errCode: '010',
  description: '',
  reportedAt: new Date(),
};
const ORPHAN = { ...REPORT, gatewayMessageId: 'a', recipient: null, gatewayCode: null };

test.each<[string, Partial<ReadCallback>]>([
  ['the opt-out of a recipient', { reports: [{ ...REPORT, gatewayCode: '21610' }] }],
  ['a report that names a message by the id of its gateway', { unresolved: [ORPHAN] }],
  [
    'the state of a template',
    { templates: [{ name: 'a', language: 'en', at: new Date() } as TemplateChange] },
  ],
])('a callback with %s is enqueued to be read', async (_, contents) => {
  const read = (): ReadCallback => ({ reports: [REPORT], inbound: [], problem: null, ...contents });
  await using t = await setup({ verify: () => true, read });

  const id = await t.intake.receive(GATEWAY, Buffer.from('{}'));

  expect((await t.callbacks()).map(({ isRead }) => isRead)).toEqual([false]);
  expect(t.jobs).toEqual([{ queue: CALLBACK_QUEUE.name, ids: [id] }]);
});

test('a callback that cannot be read where it is taken in is stored and enqueued to be read', async () => {
  const read = (): ReadCallback => {
    throw new Error('planted');
  };
  await using t = await setup({ verify: () => true, read });
  const body = Buffer.from('{}');

  const id = await t.intake.receive(GATEWAY, body);

  expect(await t.callbacks()).toEqual([{ id, gateway: GATEWAY, body, isRead: false, problem: null }]);
  expect(t.jobs).toEqual([{ queue: CALLBACK_QUEUE.name, ids: [id] }]);
});

test('a callback about a message of another gateway is enqueued to be read', async () => {
  await using t = await setup();
  const id = await t.addMessageOfAnother('SENT');
  const about = (...ids: string[]) =>
    t.intake.receive(
      GATEWAY,
      chatSimulatorCallback({ statuses: ids.map((each) => status({ messageId: each })) }),
    );

  const [own, foreign] = [randomUUIDv7(), id].map((each) => messageId(each, 1));
  const [, unread] = await Promise.all([about(own!), about(own!, foreign!), about(own!)]);

  const left = (await t.callbacks()).filter(({ isRead }) => !isRead);
  expect(left.map((callback) => callback.id)).toEqual([unread]);
  expect(t.idsOf(CALLBACK_QUEUE)).toEqual([unread]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toHaveLength(2);
  expect(await t.db.query('SELECT FROM message_event')).toHaveLength(2);
});

test('a callback about a pending message that another gateway did not take is read', async () => {
  await using t = await setup();
  const statuses = [status({ messageId: messageId(await t.addMessageOfAnother('PENDING'), 1) })];

  await t.intake.receive(GATEWAY, chatSimulatorCallback({ statuses }));

  expect((await t.callbacks()).map(({ isRead }) => isRead)).toEqual([true]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toHaveLength(1);
});

test('a callback whose reports the database refuses is kept unread, and the others are read', async () => {
  await using t = await setup();
  await t.db.query(`ALTER TABLE message_event ADD CONSTRAINT planted CHECK (description <> 'bad')`);

  const ids = await Promise.all(
    ['good', 'bad', 'fine'].map((description) =>
      t.intake.receive(GATEWAY, chatSimulatorCallback({ statuses: [status({ description })] })),
    ),
  );

  const isRead = new Map((await t.callbacks()).map((callback) => [callback.id, callback.isRead]));
  expect(ids.map((id) => isRead.get(id))).toEqual([true, false, true]);
  expect(t.idsOf(CALLBACK_QUEUE)).toEqual([ids[1]]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toHaveLength(2);
});

test('reports are enqueued in the order of their callbacks', async () => {
  await using t = await setup();
  const id = messageId(randomUUIDv7(), 1);
  const codes = Array.from({ length: 30 }, (_, i) => String(i));

  await Promise.all(
    codes.map((errCode) =>
      t.intake.receive(GATEWAY, chatSimulatorCallback({ statuses: [status({ messageId: id, errCode })] })),
    ),
  );

  const reports: { id: string; code: string }[] = await t.db.query(
    'SELECT id, err_code AS code FROM message_event',
  );
  const codeOf = new Map(reports.map((report) => [report.id, report.code]));
  expect(t.idsOf(REPORT_QUEUES.OTHER).map((reportId) => codeOf.get(reportId))).toEqual(codes);
});

test('a callback that cannot be stored is not enqueued', async () => {
  await using t = await setup();

  await expect(t.intake.receive('chat-simulator', Buffer.from('{}'), 'no uuid')).rejects.toThrow('uuid');

  expect(t.jobs).toEqual([]);
});

test('callbacks that arrive together share statements of at most two megabytes', async () => {
  await using t = await setup();
  const receive = (count: number, size: number) =>
    Promise.all(Array.from({ length: count }, () => t.intake.receive('chat-simulator', Buffer.alloc(size))));

  await receive(50, 100);
  expect(await t.transactions()).toEqual([50]);
  await t.db.query('DELETE FROM callback');
  await receive(14, 256 * 1024);

  expect(await t.transactions()).toEqual([7, 7]);
});

test('after a statement of many callbacks the next one waits for 32 of them, or for its gap', async () => {
  await using t = await setup();
  jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
  try {
    const receive = (): Promise<string> => t.intake.receive(GATEWAY, Buffer.from('{}'));
    await Promise.all(Array.from({ length: 16 }, receive));

    const next = [];
    for (let n = 1; n < 32; n += 1) {
      next.push(receive());
      expect(await t.transactions()).toEqual([16]);
    }
    await Promise.all([...next, receive()]);
    const last = [receive(), receive()];
    expect(await t.transactions()).toEqual([16, 32]);
    jest.advanceTimersByTime(INTAKE_GAP.gapMs);
    await Promise.all(last);

    expect(await t.transactions()).toEqual([16, 32, 2]);
  } finally {
    jest.useRealTimers();
  }
});

function status(given: Partial<SimulatorStatus> = {}): SimulatorStatus {
  return {
    messageId: messageId(randomUUIDv7(), 1),
    status: 'sent',
    errCode: '000',
    description: 'Message sent',
    timestamp: new Date().toISOString(),
    ...given,
  };
}

function message(): SimulatorInbound {
  const timestamp = new Date().toISOString();
  const [from, to] = ['919800000007', '919811111111'];
  return { id: randomUUIDv7(), from, to, timestamp, type: 'text', text: { body: 'YES' } };
}

interface CallbackRow {
  id: string;
  gateway: string;
  body: Buffer;
  isRead: boolean;
  problem: string | null;
}

/** @param format used for the callbacks of all gateways */
async function setup(format?: CallbackFormat) {
  const rows = await openRows();
  const { queues, jobs, idsOf } = recordingQueues();
  const counts = new OutcomeCounts();
  const sealer = new Sealer(Buffer.alloc(32).toString('base64'));
  const formats: Pick<CallbackFormats, 'find'> = format
    ? { find: async () => ({ channel: 'chatapp', format, row: TWILIO }) }
    : new CallbackFormats(rows.db, sealer, { publicUrl: null, simulatorSecrets: [] });
  return {
    ...rows,
    jobs,
    idsOf,
    counts,
    intake: new CallbackIntake(rows.db, queues, formats, counts, MAX_READ_BYTES),
    /** Inserts a message that names another gateway. @returns the id of its submission */
    addMessageOfAnother: async (state: string): Promise<string> => {
      const { id } = await accept(rows.db, { recipients: ['919800000100'] });
      await rows.db.query(
        `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway)
         SELECT id, 1, account_id, '919800000100', $2, 1, now(), 'another' FROM submission WHERE id = $1`,
        [id, state],
      );
      return id;
    },
    callbacks: (): Promise<CallbackRow[]> =>
      rows.db.query(
        'SELECT id, gateway, body, processed_at IS NOT NULL AS "isRead", problem FROM callback ORDER BY id',
      ),
    /** Number of transactions that wrote the rows of these tables. */
    transactionsOf: async (...tables: string[]): Promise<number> => {
      const all = tables.map((table) => `SELECT xmin::text FROM ${table}`).join(' UNION ');
      return (await rows.db.query(all)).length;
    },
    /** Number of stored callbacks by transaction, in the order of their arrival. */
    transactions: async () =>
      (
        await rows.db.query(
          'SELECT count(*)::integer AS count FROM callback GROUP BY xmin ORDER BY min(id::text)',
        )
      ).map((row: { count: number }) => row.count),
  };
}
