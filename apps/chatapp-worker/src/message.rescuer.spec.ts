import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { fanOutChat } from '@signalbox/database/chat/fan-out';
import { recordChatSubmits } from '@signalbox/database/messages/messages';
import { CHAT_LANES, type ChatLane } from '@signalbox/domain/lane';
import { ChatAppGateway } from '@signalbox/gateways/chat-app-gateway';
import type { ChatappJob } from '@signalbox/queues/chatapp-queue';
import { createLogger } from '@signalbox/runtime/logger';
import { accept, addSender, newChat, openRows } from '@signalbox/test/rows';
import type { Queue } from 'bullmq';
import { ChatappBells } from './chatapp.bells.ts';
import { MessageRescuer } from './message.rescuer.ts';

test('a message whose worker died is rung for, and the gateway is asked about one that it never called back about', async () => {
  await using t = await setup();
  const [lost, silent, held] = [await t.claim(), await t.claim({ sent: true }), await t.claim()];
  await t.db.query(
    `UPDATE message SET claimed_until = now() - interval '2 seconds', sent_at = sent_at - interval '1 minute' WHERE submission_id <> $1`,
    [held],
  );

  await t.rescuer().rescue();

  expect(t.rung).toEqual([{ lane: 'CHAT', submissionIds: [lost] }]);
  expect(t.asked).toEqual([{ messageId: `${silent}:1`, recipient: '919800000100' }]);
  await t.rescuer().rescue();
  expect(t.asked).toHaveLength(1);
});

test('what waits in the queue of callbacks or reports is not overdue', async () => {
  await using t = await setup();
  await t.claim({ sent: true });
  await t.db.query(
    `UPDATE message SET claimed_until = now() - interval '2 seconds', sent_at = sent_at - interval '1 minute'`,
  );

  await t.rescuer(Date.now() - 120_000).rescue();

  expect(t.asked).toEqual([]);
});

class AskedGateway extends ChatAppGateway {
  readonly name = 'fake';

  constructor(private readonly asked: object[]) {
    super();
  }

  submit(): Promise<never> {
    return Promise.reject(new Error('nothing is submitted here'));
  }

  async query(messages: object[]): Promise<void> {
    this.asked.push(...messages);
  }

  onReports(): void {}
  async close(): Promise<void> {}
}

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const accountId = randomUUIDv7();
  await addSender(db, accountId);
  const [rung, asked]: object[][] = [[], []];
  const logger = createLogger('test', 'silent');
  const fakeQueue = (lane: ChatLane) => ({
    add: async (_: string, { submissionIds }: ChatappJob) => void rung!.push({ lane, submissionIds }),
  });
  const queues = Object.fromEntries(CHAT_LANES.map((lane) => [lane, fakeQueue(lane)])) as unknown as Record<
    ChatLane,
    Queue<ChatappJob>
  >;
  return {
    ...rows,
    rung,
    asked,
    /** A message that a worker holds, and may have submitted. */
    claim: async ({ sent = false } = {}): Promise<string> => {
      const { id } = await accept(db, newChat({ accountId }));
      await fanOutChat(db, 'CHAT', { budget: 1, after: null, leaseSeconds: 10 });
      const submit = {
        submissionId: id,
        n: 1,
        result: 'sent' as const,
        gatewayMessageId: null,
        retryAfterMs: 0,
      };
      if (sent) await recordChatSubmits(db, 'fake', [submit]);
      return id;
    },
    /** @param oldestJobAt in the queue of callbacks; none unless told */
    rescuer: (oldestJobAt?: number) => {
      const jobs = oldestJobAt === undefined ? [] : [{ timestamp: oldestJobAt }];
      const queue = (waiting: object[]) => ({ getJobs: async () => waiting }) as unknown as Queue;
      const bells = new ChatappBells(queues, logger);
      return new MessageRescuer(db, [queue([]), queue(jobs)], bells, new AskedGateway(asked!), logger);
    },
  };
}
