import { expect, test } from '@jest/globals';
import { Gauge, register } from 'prom-client';
import { serveOps } from './ops-server.ts';

test('a metric that cannot be read fails its request only', async () => {
  const unreadable = {
    name: 'unreadable',
    help: 'Fails at each scrape',
    collect: () => {
      throw new Error('no value');
    },
  };
  register.registerMetric(new Gauge({ ...unreadable, registers: [] }));
  const ops = await serveOps({ notReady: async () => [] }, 0, '127.0.0.1');
  try {
    const metrics = await fetch(`http://127.0.0.1:${ops.port}/metrics`);
    expect(metrics.status).toBe(500);
    expect(await metrics.json()).toEqual({ status: 'failed', error: 'Error: no value' });

    expect((await fetch(`http://127.0.0.1:${ops.port}/readyz`)).status).toBe(200);
  } finally {
    await ops.close();
    register.removeSingleMetric(unreadable.name);
  }
});
