import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDataSource } from '@signalbox/database/core/data-source';
import { poolUse } from '@signalbox/database/core/pool-use';
import {
  findOpenSet,
  findRepeatedSet,
  insertInboundSegment,
  lockInboundKey,
} from '@signalbox/database/gateways/inbound-segments';
import type { InboundSegment } from '@signalbox/gateways/inbound-segments';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import type { DataSource } from 'typeorm';
import { StoredInboundSegments } from './inbound-join.ts';

let database: TestDatabase;
let source: DataSource;
let gateways = 0;

beforeAll(async () => {
  database = await createDatabase();
  source = await openDataSource({
    url: database.url,
    applicationName: 'inbound',
    poolSize: 4,
    commit: 'durable',
  });
});
afterAll(async () => {
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

/** A gateway without messages. */
function setup() {
  gateways += 1;
  const segments = new StoredInboundSegments(source.manager);
  const gateway = `gateway-${gateways}`;
  return {
    add: async (changes: Partial<InboundSegment>) => {
      const complete = await segments.add(gateway, segment(changes));
      if (complete) await segments.end(complete);
      return complete;
    },
  };
}

function segment(changes: Partial<InboundSegment>): InboundSegment {
  return {
    gatewayMessageId: '',
    from: '919800000001',
    to: '56161',
    text: `part ${changes.position ?? 1} `,
    reference: 7,
    referenceBits: 8,
    position: 1,
    total: 3,
    sentAt: new Date('2026-05-01T10:00:00Z'),
    ...changes,
  };
}

test.each([[[1, 2, 3]], [[1, 3, 2]], [[2, 1, 3]], [[2, 3, 1]], [[3, 1, 2]], [[3, 2, 1]]])(
  'segments in the order %j join, also at the same time',
  async (order) => {
    for (const isParallel of [false, true]) {
      const { add } = setup();
      const complete = [];
      if (isParallel) complete.push(...(await Promise.all(order.map((position) => add({ position })))));
      else for (const position of order) complete.push(await add({ position }));

      expect(complete.filter((each) => each !== undefined)).toEqual([
        expect.objectContaining({
          text: 'part 1 part 2 part 3 ',
          isComplete: true,
          from: '919800000001',
          to: '56161',
        }),
      ]);
    }
  },
);

test.each<[string, Partial<InboundSegment>]>([
  ['sender', { from: '919800000002' }],
  ['recipient', { to: '56162' }],
  ['reference', { reference: 8 }],
  ['width of the reference', { referenceBits: 16 }],
  ['total', { total: 2 }],
])('segments with another %s do not join', async (_, changes) => {
  const { add } = setup();
  await add({ position: 1, total: 3 });
  await add({ position: 3, total: 3 });

  expect(await add({ position: 2, ...changes })).toBeUndefined();
});

test('a repeat of a segment gives the same message again', async () => {
  const { add } = setup();
  await add({ position: 1 });
  expect(await add({ position: 1 })).toBeUndefined();
  await add({ position: 2 });
  const complete = await add({ position: 3 });

  expect(await add({ position: 3 })).toEqual(complete);
  expect(await add({ position: 1 })).toEqual(complete);
});

test('a message alone is a repeat for two minutes', async () => {
  const { add } = setup();
  const first = await add({ total: 1, text: 'YES' });

  expect(await add({ total: 1, text: 'YES' })).toEqual(first);
  await source.query(`UPDATE inbound_segment SET received_at = received_at - interval '3 minutes'`);
  const second = await add({ total: 1, text: 'YES' });
  expect(second?.text).toBe('YES');
  expect(second?.gatewayMessageId).not.toBe(first?.gatewayMessageId);
});

test('the words of a message alone are another message once something else was written', async () => {
  const { add } = setup();
  const ids = [];
  for (const text of ['STOP', 'START', 'STOP', 'STOP'])
    ids.push((await add({ total: 1, text }))?.gatewayMessageId);

  expect(new Set(ids).size).toBe(3);
  expect(ids[3]).toBe(ids[2]);
});

test("the SMSC's id makes a repeat of a day, and two messages of equal texts", async () => {
  const { add } = setup();
  const [one, two] = [
    await add({ total: 1, text: 'YES', gatewayMessageId: 'a' }),
    await add({ total: 1, text: 'YES', gatewayMessageId: 'b' }),
  ];
  await source.query(`UPDATE inbound_segment SET received_at = received_at - interval '23 hours'`);

  expect(two?.gatewayMessageId).not.toBe(one?.gatewayMessageId);
  expect(await add({ total: 1, text: 'YES', gatewayMessageId: 'a' })).toEqual(one);
});

test('messages of other texts are no repeats, also with one id for all', async () => {
  const { add } = setup();
  const all = [];
  for (const text of ['one', 'two', 'three'])
    all.push(await add({ total: 1, text, gatewayMessageId: '123456' }));

  expect(all.map((each) => each?.text)).toEqual(['one', 'two', 'three']);
  expect(new Set(all.map((each) => each?.gatewayMessageId)).size).toBe(3);
});

test('a reference that is used again begins another message', async () => {
  const { add } = setup();
  await add({ position: 1, total: 2, text: 'old ' });
  await add({ position: 1, total: 2, text: 'new ' });

  const complete = await add({ position: 2, total: 2, text: 'end' });

  expect(complete?.isComplete).toBe(true);
  await add({ position: 1, total: 2, text: 'third ' });
  expect((await add({ position: 2, total: 2, text: 'last' }))?.text).toMatch(/^(third|new) last$/);
});

test('a surrogate pair and an escape that a boundary splits are whole again', async () => {
  const { add } = setup();
  await add({ position: 1, total: 3, text: 'a\ud83d' });
  await add({ position: 2, total: 3, text: '\ude00 \u001b' });

  expect((await add({ position: 3, total: 3, text: 'e!' }))?.text).toBe('a😀 €!');
});

const KEY = { sender: '1', recipient: '2', referenceBits: 8, reference: 7, total: 3 };

test('a segment reads the one set that it is about, however many its key has', async () => {
  const part = (position: number, text: string) => ({
    ...KEY,
    gateway: 'crowded',
    gatewayMessageId: '',
    position,
    body: Buffer.from(text),
    sentAt: new Date(),
  });
  for (const text of ['a', 'b', 'c'])
    await insertInboundSegment(source.manager, { ...part(1, text), setId: randomUUIDv7() });

  expect(await findRepeatedSet(source.manager, part(1, 'b'))).toMatchObject([{ body: Buffer.from('b') }]);
  expect(await findRepeatedSet(source.manager, part(2, 'b'))).toEqual([]);
  expect(await findOpenSet(source.manager, part(2, 'x'), 2)).toMatchObject([{ body: Buffer.from('a') }]);
  expect(await findOpenSet(source.manager, part(1, 'x'), 1)).toEqual([]);
});

test('segments that arrive at the same time take one connection', async () => {
  const gateway = 'storm';
  const segments = new StoredInboundSegments(source.manager);
  const lock = source.createQueryRunner();
  await lock.startTransaction();
  await lockInboundKey(lock.manager, { ...KEY, gateway });

  const added = Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      segments.add(gateway, segment({ from: '1', to: '2', text: `${i}` })),
    ),
  );
  const isWaiting = async (): Promise<boolean> =>
    (
      await lock.query(
        `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
          WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
      )
    ).length > 0;
  while (!(await isWaiting()));

  expect(poolUse(source.manager)).toMatchObject({ used: 2, waiting: 0 });
  await lock.commitTransaction();
  await lock.release();
  expect(await added).toHaveLength(20);
});

test('a segment is stored as far as a whole message', async () => {
  const { add } = setup();
  expect((await add({ total: 1, text: 'x'.repeat(60_000) }))?.text).toHaveLength(4_096);
});
