import { expect, test } from '@jest/globals';
import { joinProbes } from './outage-probes.ts';

const DATABASE_URL = 'postgres://signalbox:secret@pg1/signalbox';
const AWAY = new Error('away');

test.each([
  ['on the server of the database', 'postgresql://queue:other@pg1:5432/queue?sslmode=require', ['database']],
  ['on another Postgres', 'postgres://signalbox:secret@pg2:5432/signalbox', ['database', 'queue']],
  ['on another port', 'postgres://signalbox:secret@pg1:5433/signalbox', ['database', 'queue']],
  ['on Redis', 'redis://:secret@pg1:6379', ['database', 'queue']],
])('a queue %s is asked as it should be', (_, QUEUE_URL, dependencies) => {
  const probes = joinProbes({ DATABASE_URL, QUEUE_URL }, { database: answer, queue: answer });

  expect(Object.keys(probes)).toEqual(dependencies);
});

test('the server of both is unavailable until the database and the queue answer', async () => {
  const urls = { DATABASE_URL, QUEUE_URL: DATABASE_URL };

  await expect(joinProbes(urls, { database: answer, queue: fail })['database']?.()).rejects.toBe(AWAY);
  await expect(joinProbes(urls, { database: fail, queue: failToo })['database']?.()).rejects.toBe(AWAY);
  await expect(
    joinProbes(urls, { database: answer, queue: answer })['database']?.(),
  ).resolves.toBeUndefined();
});

async function answer(): Promise<void> {}

async function fail(): Promise<void> {
  throw AWAY;
}

async function failToo(): Promise<void> {
  throw new Error('away too');
}
