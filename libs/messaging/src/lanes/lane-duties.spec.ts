import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { fanOutChat } from '@signalbox/database/chat/fan-out';
import { noteHeartbeat } from '@signalbox/database/core/settling';
import { insertMessageIds } from '@signalbox/database/gateways/message-ids';
import { recordChatSubmits } from '@signalbox/database/messages/submits';
import { ASK_AGAIN_SECONDS } from '@signalbox/database/ops/rescue';
import type { Lane } from '@signalbox/domain/lane';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import { CALLBACK_QUEUE, CHAT_QUEUES } from '@signalbox/queues/definitions';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { FakeGateway } from '@signalbox/test/fake-gateway';
import { accept, addSender, makeBatchesDue, newChat, openRows } from '@signalbox/test/rows';
import { type RecordedJob, recordingQueues } from '../../test/recording-queues.ts';
import type { GatewayState, MessageAddress } from '@signalbox/gateways/gateway';
import type { EntityManager } from 'typeorm';
import { ChatChannel } from '../chatapp/channel.ts';
import { ChatRenderer } from '../chatapp/renderer.ts';
import { Channel } from './channel.ts';
import { Gateways } from '../gateways/gateways.ts';
import { Admission } from '../gateways/admission.ts';
import { GatewaysRate } from '../gateways/gateways-rate.ts';
import { Router } from '../gateways/router.ts';
import { laneDuties, rescueMessages } from './lane-duties.ts';
import { Lanes } from './lanes.ts';
import type { DutyContext, SimpleDuty } from '../maintenance/duty.ts';

test('a message whose worker died is enqueued, and its gateway is asked for an overdue report', async () => {
  await using t = await setup();
  const [lost, silent, claimed] = [await t.claim(), await t.claim({ sent: true }), await t.claim()];
  await t.db.query(
    `UPDATE message SET claimed_until = now() - interval '2 seconds', sent_at = sent_at - interval '1 minute' WHERE submission_id <> $1`,
    [claimed],
  );

  await t.rescue();

  expect(t.jobs).toEqual([
    { queue: CHAT_QUEUES.CHAT.name, ids: [lost], extra: { isRetry: true }, delayMs: 0 },
  ]);
  expect(t.queried).toEqual([
    { messageId: `${silent}:1`, recipient: '919800000100', sender: '15550100001', gatewayMessageIds: [] },
  ]);
  await t.rescue();
  expect(t.queried).toHaveLength(1);
});

test('an overdue message is asked for by the ids of all its segments', async () => {
  await using t = await setup();
  const submissionId = await t.claim({ sent: true });
  await t.db.query(
    `UPDATE message SET claimed_until = now() - interval '2 seconds', sent_at = sent_at - interval '1 minute'`,
  );
  const row = { gateway: 'fake', submissionId, n: 1, segments: 3, recipient: '919800000100' };
  await insertMessageIds(t.db, [
    { ...row, gatewayMessageId: 'z', segment: 1 },
    { ...row, gatewayMessageId: 'a', segment: 2 },
    { ...row, gatewayMessageId: '', segment: 3 },
  ]);

  await t.rescue();

  expect(t.queried).toEqual([expect.objectContaining({ gatewayMessageIds: ['z', 'a'] })]);
});

test('a report that may wait in a queue is not overdue', async () => {
  await using t = await setup();
  await t.claim({ sent: true });
  await t.db.query(
    `UPDATE message SET claimed_until = now() - interval '2 seconds', sent_at = sent_at - interval '1 minute'`,
  );

  await t.rescue({ oldestCallbackAt: new Date(Date.now() - 120_000) });

  expect(t.queried).toEqual([]);
});

test('a gateway that does not answer a question delays no rescue, and is not asked meanwhile', async () => {
  await using t = await setup();
  const answer = Promise.withResolvers<void>();
  t.gateway.answer = answer.promise;

  await t.claimOverdue();
  await t.rescue();
  await t.claimOverdue();
  await t.rescue();
  expect(t.queried).toHaveLength(1);

  answer.resolve();
  await waitFor(async () => (await t.rescue(), t.queried.length > 1), {
    otherwise: 'the gateway was not asked again',
  });
});

test.each(['returns them', 'rejects'])(
  'a gateway that %s is asked again about unasked messages soon',
  async (how) => {
    await using t = await setup();
    t.gateway.isReachable = how === 'rejects';
    if (how === 'rejects') t.gateway.answer = rejection(new Error('the gateway is unreachable'));
    await t.claimOverdue();
    await t.db.query(`UPDATE message SET sent_at = now() - interval '2 hours'`);

    await t.rescue();

    await waitFor(async () => (await secondsToQuestion(t.db)) <= ASK_AGAIN_SECONDS, {
      otherwise: 'the messages are not due soon',
    });
    await t.db.query('UPDATE message SET due_at = now()');
    await t.rescue();
    expect(t.queried).toHaveLength(1);
  },
);

test('messages of a gateway that is down stay overdue, and it is asked when it is up', async () => {
  await using t = await setup();
  t.gateway.isUp = false;
  await t.claimOverdue();

  await t.rescue();
  expect(t.queried).toEqual([]);

  t.gateway.isUp = true;
  await t.rescue();
  expect(t.queried).toHaveLength(1);
});

test('a lost message of a paused lane is enqueued once the lane is resumed', async () => {
  await using t = await setup();
  const lost = await t.claim();
  await t.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);

  t.paused.push('CHAT');
  await t.rescue();
  expect(t.jobs).toEqual([]);

  t.paused.pop();
  await t.rescue();
  expect(t.jobs).toMatchObject([{ queue: CHAT_QUEUES.CHAT.name, ids: [lost] }]);
});

test('a lost message is submitted without a job while a queue does not answer', async () => {
  await using t = await setup();
  const lost = await t.claim();
  await t.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);

  await expect(t.rescue({ isUnreachable: true })).rejects.toThrow('unreachable');

  expect(t.jobs).toEqual([]);
  expect(t.retried).toEqual([{ lane: 'CHAT', submissionIds: [lost] }]);
});

test('messages whose claims ended in an outage are not rescued before the database has settled', async () => {
  await using t = await setup();
  await t.claim();
  await t.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);

  noteHeartbeat(t.db, new Date(), performance.now() - 20_000);
  await t.rescue({ run: t.duty });
  noteHeartbeat(t.db, new Date());
  await t.rescue({ run: t.duty });

  expect(t.jobs).toEqual([]);
});

/** Seconds until the gateway of the only message may be asked for its report. */
async function secondsToQuestion(db: EntityManager): Promise<number> {
  const [row] = await db.query('SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM message');
  return row.seconds;
}

/** A promise that rejects, and is handled. */
function rejection(error: Error): Promise<never> {
  const rejected = Promise.reject(error);
  rejected.catch(() => undefined);
  return rejected;
}

class QueriedGateway extends FakeGateway<OutgoingChatMessage> {
  answer: Promise<void> = Promise.resolve();
  isUp = true;
  isReachable = true;

  constructor(private readonly queried: object[]) {
    super();
  }

  override state(): GatewayState {
    return { ...super.state(), status: this.isUp ? 'up' : 'down' };
  }

  submit(): Promise<never> {
    return Promise.reject(new Error('this test submits nothing'));
  }

  override async query(messages: MessageAddress[]): Promise<MessageAddress[]> {
    this.queried.push(...messages);
    await this.answer;
    return this.isReachable ? [] : messages;
  }
}

function openChannel(db: EntityManager, gateways: Gateways): ChatChannel {
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  const renderer = new ChatRenderer(db, new Sealer('A'.repeat(43) + '='), createLogger('test', 'silent'));
  const router = new Router(gateways);
  const rate = new GatewaysRate(fleet, gateways, router, new Admission(router, gateways));
  return new ChatChannel(db, renderer, rate);
}

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const accountId = randomUUIDv7();
  await addSender(db, accountId);
  const [queried, retried, jobs]: [object[], object[], RecordedJob[]] = [[], [], []];
  const paused: Lane[] = [];
  const retry = (lane: string, submissionIds: string[]) => void retried.push({ lane, submissionIds });
  const logger = createLogger('test', 'silent');
  const gateway = new QueriedGateway(queried);
  const gateways = new Gateways(gateway, () => ({ problem: '' }), logger);
  const providers = new Map<unknown, unknown>([
    [Channel, openChannel(db, gateways)],
    [Lanes, { retry, paused }],
    [Gateways, gateways],
  ]);
  const get = ((token: unknown) => providers.get(token)) as DutyContext['get'];
  /** Claims a message, and records its submit when it is sent. */
  const claim = async ({ sent = false } = {}): Promise<string> => {
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
  };
  return {
    ...rows,
    gateway,
    queried,
    retried,
    paused,
    claim,
    /** Claims a message whose report is overdue. */
    claimOverdue: async (): Promise<void> => {
      const id = await claim({ sent: true });
      await db.query(
        `UPDATE message SET claimed_until = now() - interval '2 seconds', sent_at = sent_at - interval '1 minute'
          WHERE submission_id = $1`,
        [id],
      );
    },
    jobs,
    duty: async (context: DutyContext): Promise<void> => {
      const duty = laneDuties().find(({ name }) => name === 'rescue messages') as SimpleDuty;
      await duty.run(context);
    },
    /** Runs one pass. */
    rescue: async ({ oldestCallbackAt = new Date(), isUnreachable = false, run = rescueMessages } = {}) => {
      await makeBatchesDue(db);
      const { queues } = recordingQueues((queue) => {
        if (isUnreachable) throw new Error('the queue is unreachable');
        return queue === CALLBACK_QUEUE.name ? oldestCallbackAt : new Date();
      }, jobs);
      await run({ db, queues, logger, get });
    },
  };
}
