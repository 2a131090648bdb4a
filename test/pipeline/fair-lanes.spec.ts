import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { insertSubmissions } from '@signalbox/database/submissions/submissions';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import type { EntityManager } from 'typeorm';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { FakeGateway } from '../support/fake-gateway.ts';
import { type QueueBackend, describeOnEachQueue, openQueue } from '../support/queue.ts';
import { newSubmission } from '../support/rows.ts';
import { startPipeline } from '../support/pipeline.ts';

const SMS = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'TRANS' };
const BACKLOG = 50_000;

describeOnEachQueue((queue) => {
  test('a single message is sent ahead of the waiting bulks of another account', async () => {
    await using t = await setup(queue, new SlowGateway(400, null));
    const bulks = Array.from({ length: BACKLOG / 10_000 }, () =>
      newSubmission({ recipients: numbers(10_000) }),
    );
    await insertSubmissions(t.db, bulks);
    await t.enqueue(bulks.map(({ id }) => id));
    await t.gateway.untilSubmitted(300);

    expect(Math.max(...(await t.overtakenBy(3)))).toBeLessThan(2_000);
  });

  test('a single message is sent ahead of an account that waits for a limit', async () => {
    await using t = await setup(queue, new SlowGateway(10_000, 200));
    await t.enqueue(await insertSingles(t.db, BACKLOG));
    await t.gateway.untilSubmitted(200);
    const [count, startedAt] = [t.gateway.count, performance.now()];

    expect(Math.max(...(await t.overtakenBy(3)))).toBeLessThan(1_000);
    await t.gateway.untilSubmitted(count + 400);
    const rate = (t.gateway.count - count) / ((performance.now() - startedAt) / 1000);
    expect(rate).toBeLessThan(260); // 200 and one burst
  });
});

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(919800000000 + i));

/** Accepts messages one after another, at a fixed rate per second. */
class SlowGateway extends FakeGateway<OutgoingSms> {
  override readonly name = 'slow';
  readonly submitted = new Set<string>();
  private freeAt = 0;

  constructor(
    private readonly perSecond: number,
    override readonly ratePerSecond: number | null,
  ) {
    super();
  }

  get count(): number {
    return this.submitted.size;
  }

  async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    this.freeAt = Math.max(this.freeAt, performance.now()) + (messages.length / this.perSecond) * 1000;
    await sleep(this.freeAt - performance.now());
    for (const { messageId } of messages) this.submitted.add(messageId);
    return messages.map(({ messageId }) => ({ messageId, result: 'accepted', gatewayMessageIds: [] }));
  }

  untilSubmitted(count: number): Promise<void> {
    return waitFor(() => this.count >= count, {
      otherwise: `fewer than ${count} messages were submitted`,
    });
  }
}

async function setup(queue: QueueBackend, gateway: SlowGateway) {
  await using started = new AsyncDisposableStack();
  const p = started.use(await startPipeline({ queue, gateway, workers: ['sms'] }));
  const lane = await openQueue(SMS_QUEUES.TRANS, p.queue);
  started.defer(() => lane.close());
  const overtaken = async (): Promise<number> => {
    const count = gateway.count;
    const messageId = `${await p.send('/v1/sms', SMS)}:1`;
    await waitFor(() => gateway.submitted.has(messageId), {
      otherwise: 'the single message was not submitted',
    });
    return [...gateway.submitted].indexOf(messageId) - count;
  };
  const all = started.move();
  return {
    gateway,
    db: p.db,
    enqueue: (ids: string[]) => lane.addJobs(ids, {}),
    /** Posts single messages of one account, one after another, and counts the others submitted before each. */
    overtakenBy: async (count: number) => {
      const counts = [];
      for (let i = 0; i < count; i += 1) counts.push(await overtaken());
      return counts;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Stores submissions of one account, each with one message. */
async function insertSingles(db: EntityManager, count: number): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits)
     SELECT uuidv7(), $1, 'sms', 'text', 'TRANS', 'SIGNALBX', '{"text":"Hello","unicode":false,"flash":false}', ARRAY['919800000100'], 1
       FROM generate_series(1, $2::integer) RETURNING id`,
    [randomUUIDv7(), count],
  );
  return rows.map(({ id }) => id);
}
