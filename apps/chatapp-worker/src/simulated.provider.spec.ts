import { expect, test } from '@jest/globals';
import type { CallbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import type { Queues } from '@signalbox/queues/open-queues';
import type { EntityManager } from 'typeorm';
import type { ChatappWorkerConfig } from './config.ts';
import { SimulatedProvider } from './simulated.provider.ts';

const FIRST = { script: 'plain', step: 0, messageIds: ['a:1', 'b:1'] };

test('with a delay the job of a step makes its callback and schedules the next step', async () => {
  const t = setup({ delayMs: 500 });

  expect(await t.provider.play(FIRST)).toEqual({ callbacks: 1 });
  expect(t.done).toEqual(['sent a:1 b:1', 'step 1 in 500 ms']);
  await t.provider.play({ ...FIRST, step: 2 });
  expect(t.done.slice(2)).toEqual(['read a:1 b:1']);
});

test('without a delay the job of a step makes the callbacks of those that follow, too', async () => {
  const t = setup({ delayMs: 0 });

  expect(await t.provider.play({ ...FIRST, step: 1 })).toEqual({ callbacks: 2 });
  expect(t.done).toEqual(['delivered a:1 b:1', 'read a:1 b:1']);
});

test('a callback that is refused ends the job, which runs again from its step', async () => {
  const t = setup({ delayMs: 0, refused: 'delivered' });

  await expect(t.provider.play(FIRST)).rejects.toThrow('refused');
  expect(t.done).toEqual(['sent a:1 b:1']);
});

test('a step that is run before the outcome of its submit schedules the next one', async () => {
  const t = setup({ delayMs: 0 });

  await t.provider.run(FIRST);

  expect(t.done).toEqual(['sent a:1 b:1', 'step 1 in 0 ms']);
});

/** A provider whose callbacks and jobs are noted in `done`. */
function setup({ delayMs, refused }: { delayMs: number; refused?: string }) {
  const done: string[] = [];
  const receive = async (_gateway: string, body: Buffer): Promise<string> => {
    const { statuses } = JSON.parse(body.toString()) as {
      statuses: { messageId: string; status: string }[];
    };
    if (statuses[0]!.status === refused) throw new Error('refused');
    done.push([statuses[0]!.status, ...statuses.map(({ messageId }) => messageId)].join(' '));
    return '';
  };
  const addJobs = async (_ids: string[], { step }: { step: number }, after: { delayMs: number }) =>
    void done.push(`step ${step} in ${after.delayMs} ms`);
  const provider = new SimulatedProvider(
    {} as EntityManager,
    { receive } as unknown as CallbackIntake,
    { get: () => ({ addJobs }) } as unknown as Queues,
    { SIMULATOR_DELAY_MS: delayMs } as ChatappWorkerConfig,
  );
  return { provider, done };
}
