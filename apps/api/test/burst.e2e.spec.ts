import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { startApi } from './api-under-test.ts';

const KERNEL_LIMIT = '/proc/sys/net/core/somaxconn';

/** Opens connections from another thread than that of the API, and counts those that are open. */
const CLIENT = `
  const { connect } = require('node:net');
  const { port, count, open } = require('node:worker_threads').workerData;
  for (let i = 0; i < count; i += 1)
    connect(port, '127.0.0.1', () => {
      Atomics.add(open, 0, 1);
      Atomics.notify(open, 0);
    }).on('error', () => undefined);
`;

/** Connections of the burst: 1,000, or as many as the kernel keeps. */
const COUNT = Math.min(1_000, existsSync(KERNEL_LIMIT) ? Number(readFileSync(KERNEL_LIMIT, 'utf8')) : 128);

test('a burst of connections is open before a busy process accepts any', async () => {
  await using t = await startApi();
  const open = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: Number(new URL(t.p.apiUrl).port), count: COUNT, open };
  const client = new Worker(CLIENT, { eval: true, workerData });

  const until = performance.now() + 60_000;
  while (Atomics.load(open, 0) < COUNT && performance.now() < until)
    Atomics.wait(open, 0, Atomics.load(open, 0), 1_000);
  const seen = Atomics.load(open, 0);
  await client.terminate();

  expect(seen).toBe(COUNT);
});
