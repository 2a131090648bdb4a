import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { ManualClock } from '../test/manual-clock.ts';
import type { GatewayMessageId } from './gateway-ids.ts';
import { IdWriter } from './id-writer.ts';

const row = (gatewayMessageId: string): GatewayMessageId => ({
  gatewayMessageId,
  messageId: `${gatewayMessageId}:1`,
  segment: 1,
  segments: 1,
  recipient: '919812345678',
});

function setup() {
  const clock = new ManualClock();
  const database = {
    isDown: false,
    failures: 0,
    inserts: 0,
    answer: Promise.resolve(),
    stored: [] as string[],
  };
  const insert = async (rows: GatewayMessageId[]): Promise<void> => {
    database.inserts += 1;
    await database.answer;
    if (database.isDown) throw new Error('no database');
    database.stored.push(...rows.map(({ gatewayMessageId }) => gatewayMessageId));
  };
  const writer = new IdWriter(insert, clock, () => (database.failures += 1));
  const done: string[] = [];
  const add = (id: string) => writer.add([row(id)], () => done.push(id));
  return { clock, database, writer, done, add };
}

test('rows that are not stored before the close are not done', async () => {
  const t = setup();
  t.database.isDown = true;
  t.add('first');
  await waitFor(() => t.database.failures === 1);
  t.add('second');

  const closed = t.writer.close();
  for (let second = 0; second < 5; second += 1) {
    t.clock.advance(1_000);
    await new Promise(setImmediate);
  }
  await closed;
  t.database.isDown = false;
  t.clock.advance(10_000);
  await new Promise(setImmediate);

  expect([t.done, t.database.stored, t.clock.pending]).toEqual([[], [], 0]);
});

test('a close waits for rows that are stored once the database is back', async () => {
  const t = setup();
  t.database.isDown = true;
  t.add('first');
  await waitFor(() => t.database.failures === 1);

  const closed = t.writer.close();
  t.database.isDown = false;
  t.clock.advance(100);
  await closed;

  expect([t.done, t.database.stored]).toEqual([['first'], ['first']]);
});

test('rows that are added as an insert ends are stored', async () => {
  for (let microtasks = 0; microtasks < 20; microtasks += 1) {
    const t = setup();
    const { promise, resolve } = Promise.withResolvers<void>();
    t.database.answer = promise;
    t.add('first');
    await waitFor(() => t.database.inserts === 1);
    resolve();
    for (let n = 0; n < microtasks; n += 1) await Promise.resolve();
    t.add('second');

    await waitFor(() => t.done.length === 2, { otherwise: `rows wait after ${microtasks} microtasks` });
    expect(t.database.stored).toEqual(['first', 'second']);
  }
});
