import { expect, test } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { setHostClock } from '@signalbox/test/clocks';
import { runLogged } from './run-logged.ts';

test('a job that ends is logged with its result', async () => {
  const { logger, lines } = setup();

  await runLogged(logger, JOB, { reports: 2 }, async () => ({ moved: 1 }));

  expect(lines).toMatchObject([
    { event: 'job.attempted', queue: 'dlr', jobId: '7', attempt: 2, outcome: 'done', reports: 2, moved: 1 },
  ]);
});

test('a job that fails is logged and fails', async () => {
  const { logger, lines } = setup();

  const run = runLogged(logger, JOB, {}, async () => {
    throw new Error('no database');
  });

  await expect(run).rejects.toThrow('no database');
  expect(lines).toMatchObject([
    { event: 'job.attempted', outcome: 'failed', error: { message: 'no database' } },
  ]);
});

test('a clock that is set forward does not lengthen the run of a job', async () => {
  const { logger, lines } = setup();
  using clocks = new DisposableStack();

  await runLogged(logger, JOB, {}, async () => {
    clocks.use(setHostClock(3_600_000));
    return {};
  });

  expect((lines[0] as { durationMs: number }).durationMs).toBeLessThan(3_600_000);
});

const JOB = { id: '7', queueName: 'dlr', timestamp: Date.now(), attemptsMade: 1 };

function setup() {
  const lines: object[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  return { logger, lines };
}
