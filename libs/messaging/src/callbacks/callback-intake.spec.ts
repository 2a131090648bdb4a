import { expect, test } from '@jest/globals';
import { CALLBACK_QUEUE } from '@signalbox/queues/definitions';
import { openRows } from '@signalbox/test/rows';
import { recordingQueues } from '../../test/recording-queues.ts';
import { CallbackIntake } from './callback-intake.ts';

test('a stored callback is enqueued', async () => {
  await using t = await setup();

  const id = await t.intake.receive('chat-simulator', Buffer.from('{}'));

  expect(await t.db.query('SELECT id, gateway, body FROM callback')).toEqual([
    { id, gateway: 'chat-simulator', body: Buffer.from('{}') },
  ]);
  expect(t.jobs).toEqual([{ queue: CALLBACK_QUEUE.name, ids: [id] }]);
});

test('a callback that cannot be stored is not enqueued', async () => {
  await using t = await setup();

  await expect(t.intake.receive('chat-simulator', Buffer.from('{}'), 'no uuid')).rejects.toThrow('uuid');

  expect(t.jobs).toEqual([]);
});

test('callbacks that arrive together share statements of at most two megabytes', async () => {
  await using t = await setup();
  const receive = (count: number, size: number) =>
    Promise.all(Array.from({ length: count }, () => t.intake.receive('chat-simulator', Buffer.alloc(size))));

  await receive(50, 100);
  expect(await t.transactions()).toEqual([50]);
  await t.db.query('DELETE FROM callback');
  await receive(14, 256 * 1024);

  expect(await t.transactions()).toEqual([7, 7]);
});

async function setup() {
  const rows = await openRows();
  const { queues, jobs } = recordingQueues();
  return {
    ...rows,
    jobs,
    intake: new CallbackIntake(rows.db, queues),
    /** Number of stored callbacks by transaction. */
    transactions: async () =>
      (await rows.db.query('SELECT count(*)::integer AS count FROM callback GROUP BY xmin')).map(
        (row: { count: number }) => row.count,
      ),
  };
}
