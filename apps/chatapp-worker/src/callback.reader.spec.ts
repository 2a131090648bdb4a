import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { messageId } from '@signalbox/domain/message-id';
import {
  type SimulatorInbound,
  type SimulatorStatus,
  chatSimulatorCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { Bell } from '@signalbox/runtime/bell';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import { createLogger } from '@signalbox/runtime/logger';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { CallbackReader } from './callback.reader.ts';
import { CallbackUpkeep } from './callback.upkeep.ts';

const BUSINESS = '919811111111';
let rows: TestRows;
let rung: string[];
let lines: string[];
let bell: Bell;

beforeAll(async () => {
  rows = await openRows();
  const { db } = rows;
  const accountId = randomUUIDv7();
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [accountId]);
  const [{ id }] = await db.query(
    `INSERT INTO chat_account (account_id, name) VALUES ($1, 'x') RETURNING id`,
    [accountId],
  );
  await db.query(`INSERT INTO chat_sender (msisdn, chat_account_id, account_id) VALUES ($1, $2, $3)`, [
    BUSINESS,
    id,
    accountId,
  ]);
});
afterAll(async () => rows[Symbol.asyncDispose]());

function openReader(): CallbackReader {
  rung = [];
  lines = [];
  bell = new Bell({ enqueue: async (ids) => rung.push(...ids), maxBatch: 10_000, onLost: () => undefined });
  return new CallbackReader(
    rows.db,
    bell,
    createLogger('test', 'warn', { write: (line) => void lines.push(line) }),
  );
}

async function store(body: Buffer): Promise<string> {
  const id = randomUUIDv7();
  await insertCallbacks(rows.db, [{ id, gateway: 'chat-simulator', body }]);
  return id;
}

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

test('a batch that runs twice, and at the same time, stores what it says once and rings for it', async () => {
  const reader = openReader();
  const before = (await countRows()) as { reports: number; inbound: number };
  const ids = [
    await store(chatSimulatorCallback({ statuses: [status(), status()], messages: [message()] })),
    await store(chatSimulatorCallback({})),
  ];
  const others = [1, 2].map(() => new CallbackReader(rows.db, bell, createLogger('test', 'silent')));
  const runs = await Promise.all([reader, ...others].map((each) => each.read(ids)));
  await reader.read(ids);
  await bell.close();
  expect(runs.reduce((sum, { reports, inbound }) => sum + reports + inbound, 0)).toBe(3);
  expect(await countRows()).toEqual({ reports: before.reports + 3, inbound: before.inbound + 1 });
  expect(new Set(rung).size).toBe(3);
  expect(await problemOf(ids[1]!)).toBeNull();
});

test('what cannot be used of a callback is its problem, told of in the log, and holds up no other', async () => {
  const reader = openReader();
  const hostile = {
    errCode: '\u0000',
    description: '\ud800'.repeat(9_000),
    timestamp: '+271821-04-20T00:00:00Z',
  };
  const said = message({ text: { body: 'a\u0000\ud800' }, id: '\u0000', timestamp: '9999-12-31T23:59:59Z' });
  const ids = {
    unreadable: await store(Buffer.from([0xff, 0x00])),
    foreign: await store(
      chatSimulatorCallback({ statuses: [status({ messageId: 'DROP TABLE:1' }), status()] }),
    ),
    unowned: await store(chatSimulatorCallback({ messages: [message({ to: '919899999999' }), message()] })),
    hostile: await store(chatSimulatorCallback({ statuses: [status(hostile)], messages: [said] })),
  };
  const done = await reader.read(Object.values(ids));
  expect(done).toEqual({ callbacks: 4, reports: 2, inbound: 3 });
  expect(await problemOf(ids.unreadable)).toBe('The body is not a JSON object in UTF-8.');
  expect(await problemOf(ids.foreign)).toBe('Reports that name no message of ours: 1.');
  expect(await problemOf(ids.unowned)).toBe('Messages to a number that nobody owns: 1.');
  expect(await problemOf(ids.hostile)).toBeNull();
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(
    Array(3).fill('callback.problem'),
  );
  const stored = await rows.db.query(
    `SELECT content, sent_at <= now() AS past FROM inbound_message WHERE id = $1`,
    [ids.hostile],
  );
  expect(stored).toEqual([{ content: { text: { body: 'a\ufffd' } }, past: true }]);
});

test('callbacks are read in the order their jobs came, however many of these run at once', async () => {
  const reader = openReader();
  const id = messageId(randomUUIDv7(), 1);
  const told = Array.from({ length: 30 }, (_, i) => status({ messageId: id, errCode: String(i) }));
  const callbacks: string[] = [];
  for (const one of told) callbacks.push(await store(chatSimulatorCallback({ statuses: [one] })));
  await Promise.all(callbacks.map((callback) => reader.read([callback])));
  await bell.close();
  const reports: { id: string; code: string }[] = await rows.db.query(
    `SELECT id, err_code AS code FROM message_event WHERE id = ANY($1)`,
    [rung],
  );
  const codes = new Map(reports.map((report) => [report.id, report.code]));
  expect(rung.map((reportId) => codes.get(reportId))).toEqual(told.map(({ errCode }) => errCode));
});

test('a callback that is read again, once its number is registered, brings what was missing and nothing twice', async () => {
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
  await bell.close();
  expect(await countRows()).toEqual({ reports: before.reports + 1, inbound: before.inbound + 1 });
  expect(await problemOf(id)).toBeNull();
});

test('a thousand statuses in one callback are stored together', async () => {
  const reader = openReader();
  const id = await store(chatSimulatorCallback({ statuses: Array.from({ length: 1_000 }, () => status()) }));
  expect(await reader.read([id])).toEqual({ callbacks: 1, reports: 1_000, inbound: 0 });
  await bell.close();
  expect(rung).toHaveLength(1_000);
});

test('a callback whose bell was lost is rung for, and is parked after too many times; old ones go', async () => {
  const { db } = rows;
  const reader = openReader();
  const [lost, young] = [await store(chatSimulatorCallback({})), await store(chatSimulatorCallback({}))];
  await db.query(`UPDATE callback SET received_at = now() - interval '15 seconds' WHERE id = $1`, [lost]);
  const jobs: string[] = [];
  const callbackBell = new Bell({
    enqueue: async (ids) => jobs.push(...ids),
    maxBatch: 100,
    onLost: () => undefined,
  });
  const intake = new CallbackIntake(() => Promise.resolve(), callbackBell);
  const upkeep = new CallbackUpkeep(db, { getJobs: async () => [] }, intake, createLogger('test', 'silent'));
  await upkeep.rescue();
  await db.query(`UPDATE callback SET starts = 10, received_at = now() - interval '1 day' WHERE id = $1`, [
    young,
  ]);
  await upkeep.rescue();
  await intake.close();
  expect(jobs).toEqual([lost]);

  await reader.read([lost, young]);
  await db.query(
    `UPDATE callback SET id = overlay(id::text placing '00000000-0000' from 1 for 13)::uuid WHERE id = ANY($1)`,
    [[lost]],
  );
  await upkeep.sweep();
  expect(
    await db.query(
      `SELECT id FROM callback WHERE id = ANY($1) OR id < '00000001-0000-0000-0000-000000000000'`,
      [[lost, young]],
    ),
  ).toEqual([{ id: young }]);
});
