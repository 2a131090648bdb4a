import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

/** A process that signals itself as soon as it is as far as its argument says. */
const PROGRAM = `
  import { createLogger } from './libs/runtime/src/logger.ts';
  import { runMain } from './libs/runtime/src/run-main.ts';
  import { onShutdown } from './libs/runtime/src/shutdown.ts';
  const logger = createLogger('test', 'info');
  setInterval(() => undefined, 1000);
  runMain(logger, async () => {
    if (process.argv[1] === 'started') onShutdown(async () => logger.info({}, 'test.drained'), logger);
    process.kill(process.pid, 'SIGTERM');
  });
`;

test.each([
  ['starting', []],
  ['started', ['test.drained']],
])('a signal ends a process that is %s with exit code 0', async (stage, drained) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, stage], {
    cwd: new URL('../../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');

  const lines = (await text(child.stdout)).trim().split('\n');

  const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
  expect([(await closed)[0], events.toSorted()]).toEqual([
    0,
    ['process.drained', 'process.draining', ...drained],
  ]);
});
