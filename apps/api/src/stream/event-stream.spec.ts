import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Queues } from '@signalbox/queues/open-queues';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { EventStream } from './event-stream.ts';
import { Subscriber } from './subscriber.ts';

test('a full process ends the oldest stream of the account with the most for another account', async () => {
  await using t = setup();
  t.open('few', 10);
  for (let n = 0; n < 40; n += 1) t.open(`many-${n}`, n === 7 ? 50 : 49);
  t.open('filler', 29);

  t.open('late', 1);

  expect(t.ended()).toEqual(['many-7 0']);
  t.open('late', 1);
  expect(t.ended()).toEqual(['many-0 0', 'many-7 0']);
});

test('a full process refuses an account that would take the place of an equal one', async () => {
  await using t = setup();
  for (let n = 0; n < 40; n += 1) t.open(`many-${n}`, 50);
  t.open('late', 1);
  const [ended] = t.ended();

  expect(() => t.open('many-0', 1)).toThrow('Too many streams are open');
  expect(() => t.open('many-1', 1)).toThrow('At most 50 streams of an account');
  expect(t.ended()).toEqual([ended]);
});

/** A stream without a poll of the database, since a test takes less than a second. */
function setup() {
  const stream = new EventStream({} as EntityManager, {} as Queues, {} as Logger);
  const opened: { name: string; subscriber: Subscriber; response: ServerResponse }[] = [];
  return {
    open: (accountId: string, count: number): void => {
      for (let n = 0; n < count; n += 1) {
        stream.requirePlace(accountId);
        const response = new ServerResponse(new IncomingMessage(new Socket()));
        const subscriber = new Subscriber({ accountId } as Caller, response, () => Promise.resolve(true));
        stream.add(subscriber);
        opened.push({ name: `${accountId} ${n}`, subscriber, response });
      }
    },
    /** The ended streams, in the order in which they were opened. */
    ended: (): string[] => opened.filter(({ response }) => response.writableEnded).map(({ name }) => name),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const { subscriber } of opened) stream.remove(subscriber);
    },
  };
}
