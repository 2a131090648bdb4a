import { expect, test } from '@jest/globals';
import { openQueue } from '@signalbox/test/queue';
import { register } from 'prom-client';
import { OTP_QUEUE } from './definitions.ts';
import { concealQueues, exposeQueues } from './queue-metrics.ts';

test('a queue whose Redis was never reached has no value in the metrics, which are read', async () => {
  const queue = await openQueue(OTP_QUEUE, { QUEUE_URL: 'redis://127.0.0.1:1', QUEUE_PREFIX: 'test' });
  exposeQueues([queue]);

  const metrics = await register.metrics();

  expect(metrics).toContain('# TYPE signalbox_queue_jobs gauge');
  expect(metrics).not.toContain('signalbox_queue_jobs{');
  concealQueues([queue]);
  await queue.close();
});
