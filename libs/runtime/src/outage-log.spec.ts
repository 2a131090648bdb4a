import { expect, test } from '@jest/globals';
import { setHostClock } from '@signalbox/test/clocks';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { createLogger } from './logger.ts';
import { logOutagesOnce } from './outage-log.ts';

const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('an outage is one line when it begins and one when it ends, with the failures between', async () => {
  using t = setup();
  await t.start();
  t.isAway = true;

  t.logger.warn({ error: REFUSED }, 'enqueue.failed');
  await waitFor(() => t.events().includes('dependency.lost'), { otherwise: 'the outage was not noticed' });
  for (let i = 0; i < 50; i += 1) t.logger.warn({ error: REFUSED }, 'enqueue.failed');
  t.logger.warn({ error: REFUSED }, 'duty.failed');
  t.isAway = false;
  await waitFor(() => t.events().includes('dependency.back'), { otherwise: 'its end was not noticed' });

  expect(t.lines).toMatchObject([
    { level: 'warn', event: 'dependency.lost', dependency: 'queue', error: { code: 'ECONNREFUSED' } },
    {
      event: 'dependency.back',
      awayMs: expect.any(Number),
      failures: { 'enqueue.failed': 51, 'duty.failed': 1 },
    },
  ]);
});

test('an outage is noticed when the clock of the host is set back', async () => {
  using t = setup();
  await t.start();
  t.logger.warn({ error: REFUSED }, 'smpp.slots_unavailable');
  await waitFor(() => t.lines.length === 1, { otherwise: 'the line was lost' });
  using _ = setHostClock(-3_600_000);
  t.isAway = true;

  const isNoticed = (): boolean => {
    t.logger.warn({ error: REFUSED }, 'enqueue.failed');
    return t.events().includes('dependency.lost');
  };
  await waitFor(isNoticed, { otherwise: 'the outage was not noticed' });

  expect(t.lines).toContainEqual(expect.objectContaining({ event: 'dependency.lost', dependency: 'queue' }));
});

test('a sum of failures that comes after the outage is written only if some are newer', async () => {
  using t = setup();
  await t.start();
  t.isAway = true;
  t.logger.warn({ error: REFUSED }, 'enqueue.failed');
  await waitFor(() => t.events().includes('dependency.lost'), { otherwise: 'the outage was not noticed' });
  const lastAt = new Date();
  t.isAway = false;
  await waitFor(() => t.events().includes('dependency.back'), { otherwise: 'its end was not noticed' });

  t.logger.warn({ count: 1, lastAt, error: REFUSED }, 'enqueue.failed');
  t.logger.warn({ count: 2, lastAt: new Date(Date.now() + 1), error: REFUSED }, 'enqueue.failed');

  await waitFor(() => t.lines.length === 3, { otherwise: 'the newer sum was lost' });
  expect(t.lines.at(-1)).toMatchObject({ event: 'enqueue.failed', count: 2 });
});

test('an error of something else is written, while all dependencies answer', async () => {
  using t = setup();
  await t.start();

  t.logger.warn({ gateway: 'smsc', error: REFUSED }, 'smpp.slots_unavailable');

  await waitFor(() => t.lines.length === 1, { otherwise: 'the line was lost' });
  expect(t.lines).toMatchObject([{ event: 'smpp.slots_unavailable', gateway: 'smsc' }]);
});

test('errors, and warnings of another kind, are written during an outage', async () => {
  using t = setup();
  await t.start();
  t.isAway = true;
  t.logger.warn({ error: REFUSED }, 'enqueue.failed');
  await waitFor(() => t.events().includes('dependency.lost'), { otherwise: 'the outage was not noticed' });

  t.logger.error({ error: REFUSED }, 'submit.failed');
  t.logger.warn({ webhookId: 'w' }, 'webhook.disabled');

  expect(t.events()).toEqual(['dependency.lost', 'submit.failed', 'webhook.disabled']);
});

test('the failures of a start are one line too, once there is something to ask', async () => {
  using t = setup();
  t.isAway = true;
  for (let i = 0; i < 12; i += 1) t.logger.warn({ queue: `q${i}`, error: REFUSED }, 'queue.unreachable');
  expect(t.events()).toEqual([]);

  await t.start();
  await waitFor(() => t.events().includes('dependency.lost'), { otherwise: 'the outage was not noticed' });
  t.isAway = false;
  await waitFor(() => t.events().includes('dependency.back'), { otherwise: 'its end was not noticed' });

  expect(t.events()).toEqual(['dependency.lost', 'dependency.back']);
  expect(t.lines.at(-1)).toMatchObject({ failures: { 'queue.unreachable': 12 } });
});

test('the failures of a start that fails are written', async () => {
  using t = setup();
  t.logger.warn({ error: REFUSED }, 'queue.unreachable');

  await expect(t.start(Promise.reject(REFUSED))).rejects.toBe(REFUSED);

  expect(t.events()).toEqual(['queue.unreachable']);
});

function setup() {
  const lines: { event: string }[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as { event: string }),
  });
  const t = {
    logger,
    lines,
    isAway: false,
    events: () => lines.map(({ event }) => event),
    start: (starting = Promise.resolve()) =>
      watch.start(starting, () => ({
        queue: async () => {
          if (t.isAway) throw REFUSED;
        },
      })),
    [Symbol.dispose]: () => watch.end(),
  };
  const watch = logOutagesOnce(logger);
  return t;
}
