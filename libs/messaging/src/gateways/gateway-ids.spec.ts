import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listSilent } from '@signalbox/database/gateways/message-ids';
import { openDataSource } from '@signalbox/database/core/data-source';
import type { GatewayMessageId, SegmentReport } from '@signalbox/gateways/gateway-ids';
import { rollUp } from '@signalbox/gateways/smpp/text/roll-up';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import type { DataSource, EntityManager } from 'typeorm';
import { DurableGatewayIds } from './gateway-ids.ts';

let database: TestDatabase;
let source: DataSource;
let gateways = 0;
let messages = 0;

beforeAll(async () => {
  database = await createDatabase();
  source = await openDataSource({
    url: database.url,
    applicationName: 'ids',
    poolSize: 4,
    commit: 'durable',
  });
});
afterAll(async () => {
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

/** The id of a message that is younger than those before. */
function nextMessage(): string {
  messages += 1;
  return `019e6f0d-1a77-7c3e-8f21-${messages.toString(16).padStart(12, '0')}:1`;
}

/** A gateway without ids, and two workers that share its map. */
function setup(options?: ConstructorParameters<typeof DurableGatewayIds>[1]) {
  gateways += 1;
  const ids = new DurableGatewayIds(source.manager, options);
  return { gateway: `gateway-${gateways}`, ids, other: new DurableGatewayIds(source.manager, options) };
}

function row(gatewayMessageId: string, changes: Partial<GatewayMessageId> = {}): GatewayMessageId {
  const messageId = nextMessage();
  return { gatewayMessageId, messageId, segment: 1, segments: 1, recipient: '919800000001', ...changes };
}

function report(gatewayMessageId: string, changes: Partial<SegmentReport> = {}): SegmentReport {
  return {
    gatewayMessageId,
    recipient: '919800000001',
    status: 'DELIVERED',
    errCode: '000',
    gatewayCode: null,
    description: 'Message delivered',
    reportedAt: new Date('2026-05-01T10:00:00Z'),
    ...changes,
  };
}

/** A message of several segments with the ids `<prefix>1`, `<prefix>2` and so on. */
function segmentsOf(prefix: string, segments: number): GatewayMessageId[] {
  const messageId = nextMessage();
  return Array.from({ length: segments }, (_, i) =>
    row(`${prefix}${i + 1}`, { messageId, segment: i + 1, segments }),
  );
}

test('another process finds the message of a report', async () => {
  const { gateway, ids, other } = setup();
  const stored = row('A1');
  await ids.insert(gateway, [stored]);

  expect(await other.report(gateway, [report('A1'), report('A2')])).toEqual([
    { messageId: stored.messageId, reports: [report('A1')] },
    undefined,
  ]);
});

test('gateways with equal ids do not meet', async () => {
  const { gateway, ids } = setup();
  await ids.insert(gateway, [row('A1')]);

  expect(await ids.report('gateway-none', [report('A1')])).toEqual([undefined]);
});

test('a report whose recipient contradicts its id matches nothing', async () => {
  const { gateway, ids } = setup();
  await ids.insert(gateway, [row('A1')]);

  const recipients = ['919800000002', '09800000001', '123', null];
  const found = await ids.report(
    gateway,
    recipients.map((recipient) => report('A1', { recipient })),
  );

  expect(found.map((each) => each !== undefined)).toEqual([false, true, false, true]);
});

test('equal ids are settled by recipient, and of one recipient the oldest first', async () => {
  const { gateway, ids } = setup();
  const [first, foreign, second] = [row(''), row('', { recipient: '919800000002' }), row('')] as const;
  for (const each of [first, foreign, second]) await ids.insert(gateway, [each]);

  const found = [];
  for (const recipient of ['919800000001', '919800000001', '919800000002'])
    found.push(...(await ids.report(gateway, [report('', { recipient })])));

  expect(found.map((each) => each?.messageId)).toEqual([
    first.messageId,
    second.messageId,
    foreign.messageId,
  ]);
});

test('reports of one id in one batch settle different messages', async () => {
  const { gateway, ids } = setup();
  const rows = [row('1'), row('1'), row('1')];
  await ids.insert(gateway, rows);

  const found = await ids.report(gateway, [report('1'), report('1'), report('1')]);

  expect(found.map((each) => each?.messageId)).toEqual(rows.map(({ messageId }) => messageId));
});

test.each(['', '1'])('each report of the id %j of all messages to a number finds its own', async (id) => {
  const { gateway, ids, other } = setup();
  const rows = Array.from({ length: 60 }, () => row(id));
  const foreign = Array.from({ length: 60 }, () => row(id, { recipient: '919800000002' }));
  await ids.insert(gateway, [...foreign, ...rows]);

  const found = [];
  for (let i = 0; i < rows.length; i += 4)
    found.push(
      ...(await Promise.all([
        ids.report(gateway, [report(id), report(id)]),
        other.report(gateway, [report(id), report(id)]),
      ])),
    );

  const reported = new Set(found.flat().map((each) => each?.messageId));
  expect(reported).toEqual(new Set(rows.map(({ messageId }) => messageId)));
  expect(await ids.report(gateway, [report(id)])).toEqual([undefined]);
});

test('each of the first two messages with the one id of a gateway gets its own report', async () => {
  const { gateway, ids } = setup();
  const [first, second] = [row('A1'), row('A1')] as const;

  await ids.insert(gateway, [first]);
  const found = await ids.report(gateway, [report('A1')]);
  await ids.insert(gateway, [second]);
  found.push(...(await ids.report(gateway, [report('A1')])));

  expect(found.map((each) => each?.messageId)).toEqual([first.messageId, second.messageId]);
});

test('an early report of an id that all messages share waits for its own', async () => {
  const { gateway, ids } = setup();
  await ids.insert(gateway, [row(''), row('', { recipient: '919800000002' })]);
  await ids.report(gateway, [report('')]);

  expect(await ids.report(gateway, [report('')])).toEqual([undefined]);
  const late = row('');
  await ids.insert(gateway, [late]);
  expect((await ids.report(gateway, [report('')]))[0]?.messageId).toBe(late.messageId);
});

test('a kept report is about no message that is younger', async () => {
  const { gateway, ids } = setup();
  const stored = row('');
  await ids.insert(gateway, [stored, row('', { recipient: '919800000002' })]);
  const createdAt = Number.parseInt(stored.messageId.replace('-', '').slice(0, 12), 16);

  const kept = report('', { receivedAt: new Date(createdAt - 60_000) });
  expect(await ids.report(gateway, [kept])).toEqual([undefined]);
  expect((await ids.report(gateway, [report('')]))[0]?.messageId).toBe(stored.messageId);
});

test('a shared id without a recipient matches only while one number waits', async () => {
  const { gateway, ids } = setup();
  const stored = row('');
  await ids.insert(gateway, [stored, row('', { recipient: '919800000002' })]);

  expect(await ids.report(gateway, [report('', { recipient: null })])).toEqual([undefined]);
  await ids.report(gateway, [report('', { recipient: '919800000002' })]);
  const [found] = await ids.report(gateway, [report('', { recipient: null })]);
  expect(found?.messageId).toBe(stored.messageId);
});

test('an id of many messages still finds those of its recipient', async () => {
  const { gateway, ids } = setup();
  const rows = Array.from({ length: 200 }, (_, i) => row('1', { recipient: `9198000${10_000 + i}` }));
  await ids.insert(gateway, rows);

  const found = await ids.report(
    gateway,
    rows.map(({ recipient }) => report('1', { recipient })),
  );

  expect(found.map((each) => each?.messageId)).toEqual(rows.map(({ messageId }) => messageId));
});

test('the segments of a message add up across workers, repeats and late reports', async () => {
  const { gateway, ids, other } = setup();
  const rows = segmentsOf('S', 3);
  await ids.insert(gateway, rows);
  const failed = report('S3', { status: 'FAILED', errCode: '001', gatewayCode: '27' });

  await Promise.all([ids.report(gateway, [report('S1')]), other.report(gateway, [report('S2')])]);
  await ids.report(gateway, [failed]);
  const [found] = await other.report(gateway, [report('S1'), report('S2', { status: 'SENT' })]);

  expect(found?.messageId).toBe(rows[0]!.messageId);
  expect(found?.reports.map((each) => each?.status)).toEqual(['DELIVERED', 'DELIVERED', 'FAILED']);
  expect(found?.reports[2]).toEqual(failed);
});

test('of two workers that get the last two reports, one sees all segments', async () => {
  for (let i = 0; i < 10; i += 1) {
    const { gateway, ids, other } = setup();
    await ids.insert(gateway, segmentsOf('S', 2));

    const found = await Promise.all([
      ids.report(gateway, [report('S1')]),
      other.report(gateway, [report('S2')]),
    ]);

    const outcomes = found.map(([segments]) => rollUp(segments!, { receiptsFrom: 'all' })?.status);
    expect(outcomes).toContain('DELIVERED');
  }
});

test('segments of one id are filled in order', async () => {
  const { gateway, ids } = setup();
  const messageId = nextMessage();
  await ids.insert(
    gateway,
    [1, 2].map((segment) => row('X', { messageId, segment, segments: 2 })),
  );

  await ids.report(gateway, [report('X')]);
  const [found] = await ids.report(gateway, [report('X')]);

  expect(found?.reports.map((each) => each?.status)).toEqual(['DELIVERED', 'DELIVERED']);
});

test('an id that is refused alone is dropped, and those that share its insert are stored', async () => {
  const refused: string[] = [];
  const { gateway, ids, other } = setup({
    onRefused: ({ gatewayMessageId }) => void refused.push(gatewayMessageId),
  });
  const stored = Array.from({ length: 9 }, (_, i) => row(`A${i}`, i === 4 ? { segment: 40_000 } : {}));

  await ids.insert(gateway, stored);

  expect(refused).toEqual(['A4']);
  const found = await other.report(
    gateway,
    stored.map(({ gatewayMessageId }) => report(gatewayMessageId)),
  );
  expect(found.map((segments) => segments?.messageId)).toEqual(
    stored.map(({ messageId }, i) => (i === 4 ? undefined : messageId)),
  );
});

test('a report that overtakes the insert of its id waits for it', async () => {
  const { gateway, ids } = setup();
  const inserted = ids.insert(gateway, [row('A1')]);

  expect((await ids.report(gateway, [report('A1')]))[0]).toBeDefined();
  await inserted;
});

test('a report finds an id whose insert ended during its lookup', async () => {
  const { gateway } = setup();
  const [looked, inserted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ids = new DurableGatewayIds(answeringLate(looked.resolve, inserted.promise));
  const stored = row('A1');

  const reported = ids.report(gateway, [report('A1')]);
  await looked.promise;
  await ids.insert(gateway, [stored]);
  inserted.resolve();

  expect((await reported)[0]?.messageId).toBe(stored.messageId);
});

/** The database, which answers the first statement late. @param onRun called when that statement has run */
function answeringLate(onRun: () => void, until: Promise<void>): EntityManager {
  let isFirst = true;
  const query = async (statement: string, values?: unknown[]): Promise<unknown> => {
    const isLate = isFirst;
    isFirst = false;
    const rows: unknown = await source.manager.query(statement, values);
    if (!isLate) return rows;
    onRun();
    await until;
    return rows;
  };
  return Object.create(source.manager, { query: { value: query } }) as EntityManager;
}

test('an id is tried again in the spelling of the rule', async () => {
  const { gateway, ids } = setup({ respell: async (_, id) => Number(id).toString(16) });
  const stored = row('1f4');
  await ids.insert(gateway, [stored]);

  expect((await ids.report(gateway, [report('500')]))[0]?.messageId).toBe(stored.messageId);
});

test('a state that is unknown changes nothing', async () => {
  const { gateway, ids } = setup();
  await ids.insert(gateway, segmentsOf('S', 2));

  const [found] = await ids.report(gateway, [report('S1', { status: null })]);

  expect(found?.reports).toEqual([null, null]);
});

test('a message waits for silent segments from its first final report to its last', async () => {
  const { gateway, ids } = setup();
  await ids.insert(gateway, segmentsOf('S', 2));
  const age = () =>
    source.query(`UPDATE gateway_message_id SET waiting_since = waiting_since - interval '11 minutes'`);
  const listOwn = async () =>
    (await listSilent(source.manager, 100)).filter((each) => each.gateway === gateway);

  await ids.report(gateway, [report('S1', { status: 'SENT' })]);
  await age();
  expect(await listOwn()).toEqual([]);
  await ids.report(gateway, [report('S1')]);
  await age();
  expect(await listOwn()).toHaveLength(1);
  await ids.report(gateway, [report('S2')]);
  expect(await listOwn()).toEqual([]);
});
