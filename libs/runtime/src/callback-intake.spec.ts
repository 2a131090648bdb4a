import { expect, test } from '@jest/globals';
import { Bell } from './bell.ts';
import { CallbackIntake, type ReceivedCallback } from './callback-intake.ts';

function openIntake(store: (callbacks: ReceivedCallback[]) => Promise<unknown>) {
  const rung: string[] = [];
  const bell = new Bell({
    enqueue: async (ids) => rung.push(...ids),
    maxBatch: 100,
    onLost: () => undefined,
  });
  return { intake: new CallbackIntake(store, bell), rung };
}

test('the bell is rung for callbacks that are stored, and for no others', async () => {
  const stored: ReceivedCallback[] = [];
  const { intake, rung } = openIntake(async (callbacks) => {
    if (callbacks.some(({ gateway }) => gateway === 'broken')) throw new Error('no disk');
    stored.push(...callbacks);
  });
  const id = await intake.receive('chat-simulator', Buffer.from('{}'));
  await expect(intake.receive('broken', Buffer.from('{}'))).rejects.toThrow('no disk');
  await intake.close();
  expect(stored).toEqual([{ id, gateway: 'chat-simulator', body: Buffer.from('{}') }]);
  expect(rung).toEqual([id]);
});

test('callbacks that come at once share a statement, large ones fewer of them', async () => {
  const sizes: number[] = [];
  const { intake } = openIntake(async (callbacks) => sizes.push(callbacks.length));
  const [small, large] = [Buffer.alloc(100), Buffer.alloc(256 * 1024)];
  await Promise.all(Array.from({ length: 50 }, () => intake.receive('chat-simulator', small)));
  expect(sizes).toEqual([50]);
  await Promise.all(Array.from({ length: 14 }, () => intake.receive('chat-simulator', large)));
  expect(sizes).toEqual([50, 7, 7]);
  await intake.close();
});
