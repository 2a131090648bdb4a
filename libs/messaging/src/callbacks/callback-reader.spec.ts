import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { insertCallbacks, sweepCallbacks } from '@signalbox/database/reports/callbacks';
import { messageId } from '@signalbox/domain/message-id';
import type { ReadCallback } from '@signalbox/gateways/callback-format';
import {
  type SimulatorInbound,
  type SimulatorStatus,
  chatSimulatorCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { CALLBACK_QUEUE, REPORT_QUEUES } from '@signalbox/queues/definitions';
import { createLogger } from '@signalbox/runtime/logger';
import { accept, addSender, openRows } from '@signalbox/test/rows';
import { type RecordingQueues, recordingQueues } from '../../test/recording-queues.ts';
import { Sealer } from '@signalbox/runtime/seal';
import { CallbackFormats, type GatewayCallbacks } from './callback-formats.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { CallbackReader } from './callback-reader.ts';
import { rescue } from '../maintenance/lost-jobs.ts';
import { runDuty } from '../maintenance/run-duty.ts';

const BUSINESS = '919811111111';
const BAD = Buffer.from('bad');
let recorded: RecordingQueues;
let lines: string[];
const enqueued = (): string[] => recorded.idsOf(REPORT_QUEUES.OTHER);

const rows = await openSharedRows();

beforeAll(async () => {
  await addSender(rows.db, randomUUIDv7(), BUSINESS);
});

const formats = (Formats = CallbackFormats): CallbackFormats =>
  new Formats(rows.db, new Sealer(Buffer.alloc(32).toString('base64')), {
    publicUrl: null,
    simulatorSecrets: [],
  });

function openReader(Formats = CallbackFormats): CallbackReader {
  recorded = recordingQueues();
  lines = [];
  return new CallbackReader(
    rows.db,
    recorded.queues,
    createLogger('test', 'warn', { write: (line) => void lines.push(line) }),
    formats(Formats),
    new OutcomeCounts(),
  );
}

async function store(body: Buffer): Promise<string> {
  const id = randomUUIDv7();
  await insertCallbacks(rows.db, [{ id, gateway: 'chat-simulator', body }]);
  return id;
}

const noProviders = (): never => {
  throw new Error('this duty uses no providers');
};

function status(given: Partial<SimulatorStatus> = {}): SimulatorStatus {
  const timestamp = new Date().toISOString();
  return {
    messageId: messageId(randomUUIDv7(), 1),
    status: 'sent',
    errCode: '000',
    description: 'Message sent',
    timestamp,
    ...given,
  };
}

function message(given: Partial<SimulatorInbound> = {}): SimulatorInbound {
  const timestamp = new Date().toISOString();
  return {
    id: randomUUIDv7(),
    from: '919800000007',
    to: BUSINESS,
    timestamp,
    type: 'text',
    text: { body: 'YES' },
    ...given,
  };
}

const problemOf = async (id: string): Promise<unknown> => {
  const [row] = await rows.db.query(
    `SELECT processed_at IS NOT NULL AS done, problem FROM callback WHERE id = $1`,
    [id],
  );
  return row.done ? row.problem : 'not processed';
};
const countRows = async (): Promise<unknown> => {
  const [row] = await rows.db.query(
    `SELECT (SELECT count(*) FROM message_event)::integer AS reports, (SELECT count(*) FROM inbound_message)::integer AS inbound`,
  );
  return row;
};

test('callbacks that several jobs name are stored and enqueued once', async () => {
  const reader = openReader();
  const before = (await countRows()) as { reports: number; inbound: number };
  const ids = [
    await store(chatSimulatorCallback({ statuses: [status(), status()], messages: [message()] })),
    await store(chatSimulatorCallback({})),
  ];
  const others = [1, 2].map(
    () =>
      new CallbackReader(
        rows.db,
        recorded.queues,
        createLogger('test', 'silent'),
        formats(),
        new OutcomeCounts(),
      ),
  );
  const runs = await Promise.all([reader, ...others].map((each) => each.read(ids)));
  await reader.read(ids);
  expect(runs.reduce((sum, { reports, inbound }) => sum + reports + inbound, 0)).toBe(3);
  expect(await countRows()).toEqual({ reports: before.reports + 3, inbound: before.inbound + 1 });
  expect(new Set(enqueued()).size).toBe(3);
  expect(await problemOf(ids[1]!)).toBeNull();
});

test('unusable entries are the logged problem of their callback and affect no other', async () => {
  const reader = openReader();
  const hostile = {
    errCode: '\u0000',
    description: '\ud800'.repeat(9_000),
    timestamp: '+271821-04-20T00:00:00Z',
  };
  const hostileMessage = message({
    text: { body: 'a\u0000\ud800' },
    id: '\u0000',
    timestamp: '9999-12-31T23:59:59Z',
  });
  const ids = {
    unreadable: await store(Buffer.from([0xff, 0x00])),
    foreign: await store(
      chatSimulatorCallback({ statuses: [status({ messageId: 'DROP TABLE:1' }), status()] }),
    ),
    unowned: await store(chatSimulatorCallback({ messages: [message({ to: '919899999999' }), message()] })),
    hostile: await store(chatSimulatorCallback({ statuses: [status(hostile)], messages: [hostileMessage] })),
  };
  const done = await reader.read(Object.values(ids));
  expect(done).toEqual({ callbacks: 4, reports: 2, inbound: 3 });
  expect(await problemOf(ids.unreadable)).toBe('The body is not a JSON object in UTF-8.');
  expect(await problemOf(ids.foreign)).toBe('Reports that name no message of ours: 1.');
  expect(await problemOf(ids.unowned)).toBe('Messages to a number that nobody owns: 1.');
  expect(await problemOf(ids.hostile)).toBeNull();
  await reader.read([await store(Buffer.from([0xfe])), await store(Buffer.from([0xff]))]);
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(
    Array(3).fill('callback.problem'),
  );
  const stored = await rows.db.query(
    `SELECT content, sent_at <= now() AS past FROM inbound_message WHERE id = $1`,
    [ids.hostile],
  );
  expect(stored).toEqual([{ content: { text: { body: 'a\ufffd' } }, past: true }]);
});

test('a gateway reports on no message that another gateway has', async () => {
  const { db } = rows;
  const reader = openReader();
  const { id } = await accept(db, { recipients: ['919800000100'] });
  const hadBy = (gateway: string | null, state = 'SENT'): Promise<unknown> =>
    db.query(
      `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway)
       SELECT id, 1, account_id, '919800000100', $3, 1, now(), $2 FROM submission WHERE id = $1
       ON CONFLICT (submission_id, n) DO UPDATE SET gateway = EXCLUDED.gateway, status = EXCLUDED.status`,
      [id, gateway, state],
    );
  const report = async (): Promise<unknown> => {
    const statuses = [status({ messageId: messageId(id, 1) }), status()];
    const callback = await store(chatSimulatorCallback({ statuses }));
    const { reports } = await reader.read([callback]);
    return { reports, problem: await problemOf(callback) };
  };

  await hadBy('another');
  expect(await report()).toEqual({ reports: 1, problem: 'Reports about messages of another gateway: 1.' });
  await hadBy('another', 'PENDING'); // it did not take it, and the submit to ours is not recorded yet
  expect(await report()).toEqual({ reports: 2, problem: null });
  await hadBy(null, 'PENDING');
  expect(await report()).toEqual({ reports: 2, problem: null });
  await hadBy('chat-simulator');
  expect(await report()).toEqual({ reports: 2, problem: null });
});

test('a callback whose contents the database refuses keeps no other from being read', async () => {
  await using own = await openRows();
  const { db } = own;
  await db.query(`ALTER TABLE message_event ADD CONSTRAINT planted CHECK (description <> 'bad')`);
  const callbacks = ['good', 'bad', 'fine'].map((description) => ({
    id: randomUUIDv7(),
    gateway: 'chat-simulator',
    body: chatSimulatorCallback({ statuses: [status({ description })] }),
  }));
  await insertCallbacks(db, callbacks);
  const { queues, idsOf } = recordingQueues();

  const reader = new CallbackReader(
    db,
    queues,
    createLogger('test', 'silent'),
    formats(),
    new OutcomeCounts(),
  );
  expect(await reader.read(callbacks.map(({ id }) => id))).toEqual({ callbacks: 2, reports: 2, inbound: 0 });

  expect(idsOf(REPORT_QUEUES.OTHER)).toHaveLength(2);
  const processed = await db.query(
    'SELECT problem FROM callback WHERE processed_at IS NOT NULL ORDER BY problem NULLS FIRST',
  );
  expect(processed).toEqual([
    { problem: null },
    { problem: null },
    { problem: 'The database refused its contents.' },
  ]);
});

/** Formats that fail on a callback that they cannot read, against their promise. */
class FailingFormats extends CallbackFormats {
  override async find(gateway: string): Promise<GatewayCallbacks | undefined> {
    const found = await super.find(gateway);
    const read = (body: Buffer): ReadCallback => {
      if (body.equals(BAD)) throw new RangeError('Maximum call stack size exceeded');
      return found!.format.read(body);
    };
    return found && { ...found, format: { ...found.format, read } };
  }
}

test('a callback that its format fails on is set aside alone', async () => {
  const failing = openReader(FailingFormats);
  const [bad, good] = [await store(BAD), await store(chatSimulatorCallback({ statuses: [status()] }))];
  await Promise.all([failing.read([bad]), failing.read([good])]);
  expect([await problemOf(bad), await problemOf(good)]).toEqual(['It cannot be read.', null]);
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain('callback.refused');
});

test('callbacks are read in the order of their jobs, which run at the same time', async () => {
  const reader = openReader();
  const id = messageId(randomUUIDv7(), 1);
  const statuses = Array.from({ length: 30 }, (_, i) => status({ messageId: id, errCode: String(i) }));
  const callbacks: string[] = [];
  for (const one of statuses) callbacks.push(await store(chatSimulatorCallback({ statuses: [one] })));
  await Promise.all(callbacks.map((callback) => reader.read([callback])));
  const reports: { id: string; code: string }[] = await rows.db.query(
    `SELECT id, err_code AS code FROM message_event WHERE id = ANY($1)`,
    [enqueued()],
  );
  const codes = new Map(reports.map((report) => [report.id, report.code]));
  expect(enqueued().map((reportId) => codes.get(reportId))).toEqual(statuses.map(({ errCode }) => errCode));
});

test('a callback that is read again adds only the messages of a newly registered number', async () => {
  const { db } = rows;
  const reader = openReader();
  const id = await store(chatSimulatorCallback({ messages: [message(), message({ to: '919877777777' })] }));
  await reader.read([id]);
  const before = (await countRows()) as { reports: number; inbound: number };
  await db.query(
    `INSERT INTO chat_sender (msisdn, chat_account_id, account_id) SELECT '919877777777', chat_account_id, account_id FROM chat_sender`,
  );
  await db.query(`UPDATE callback SET processed_at = NULL, problem = NULL, starts = 0 WHERE id = $1`, [id]);
  await reader.read([id]);
  expect(await countRows()).toEqual({ reports: before.reports + 1, inbound: before.inbound + 1 });
  expect(await problemOf(id)).toBeNull();
});

test('a thousand statuses of one callback are stored together', async () => {
  const reader = openReader();
  const id = await store(chatSimulatorCallback({ statuses: Array.from({ length: 1_000 }, () => status()) }));
  expect(await reader.read([id])).toEqual({ callbacks: 1, reports: 1_000, inbound: 0 });
  expect(enqueued()).toHaveLength(1_000);
});

test('a callback without a job is enqueued, and parked after ten starts', async () => {
  const { db } = rows;
  openReader();
  const [lost, young] = [await store(chatSimulatorCallback({})), await store(chatSimulatorCallback({}))];
  await db.query(`UPDATE callback SET received_at = now() - interval '15 seconds' WHERE id = $1`, [lost]);
  const context = { db, queues: recorded.queues, logger: createLogger('test', 'silent'), get: noProviders };

  await runDuty(rescue('callbacks', noProviders), context);
  await db.query(`UPDATE callback SET starts = 10, received_at = now() - interval '1 day' WHERE id = $1`, [
    young,
  ]);
  await runDuty(rescue('callbacks', noProviders), context);

  expect(recorded.idsOf(CALLBACK_QUEUE)).toEqual([lost]);
});

test('processed callbacks are deleted after a week', async () => {
  const { db } = rows;
  const reader = openReader();
  const [old, young] = [await store(chatSimulatorCallback({})), await store(chatSimulatorCallback({}))];
  await reader.read([old, young]);
  await db.query(
    `UPDATE callback SET id = overlay(id::text placing '00000000-0000' from 1 for 13)::uuid WHERE id = $1`,
    [old],
  );

  expect(await sweepCallbacks(db)).toBe(1);

  expect(
    await db.query(`SELECT id FROM callback WHERE id = $1 OR id < '00000001-0000-0000-0000-000000000000'`, [
      young,
    ]),
  ).toEqual([{ id: young }]);
});
