import { settlingMs } from '@signalbox/database/core/settling';
import { listSegmentIds } from '@signalbox/database/gateways/message-ids';
import { type RoutingEvent, insertRoutingEvents } from '@signalbox/database/gateways/routing-events';
import {
  type AbandonedBatch,
  deleteSubmitBatches,
  lockAbandonedBatches,
} from '@signalbox/database/gateways/submit-batches';
import {
  type ExpiredUnconfirmed,
  countUnconfirmed,
  deleteUnconfirmed,
  listExpiredUnconfirmed,
} from '@signalbox/database/gateways/unconfirmed';
import type { RecordedSubmit } from '@signalbox/database/messages/submits';
import {
  ASK_AGAIN_SECONDS,
  type OverdueMessage,
  askAgain,
  claimOverdue,
  listLostMessages,
} from '@signalbox/database/ops/rescue';
import { countReady, countWaitingMessages } from '@signalbox/database/submissions/ready';
import type { ErrCode } from '@signalbox/domain/err-codes';
import { type MessageKey, messageId, messageKeyOf } from '@signalbox/domain/message-id';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { Gateway, MessageAddress } from '@signalbox/gateways/gateway';
import { LANE_QUEUES } from '@signalbox/queues/definitions';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { Channel } from './channel.ts';
import { ClaimLeases } from './claim-leases.ts';
import { resent, toRecordedSubmit } from './recordable-outcome.ts';
import { showUnconfirmed } from '../gateways/gateway-metrics.ts';
import { Gateways } from '../gateways/gateways.ts';
import { Router } from '../gateways/router.ts';
import { Lanes } from './lanes.ts';
import type { Duty, DutyContext } from '../maintenance/duty.ts';
import { ReportIntake } from '../reports/report-intake.ts';
import { oldestJobAt } from '../maintenance/oldest-job.ts';

const readySubmissions = new Gauge({
  name: 'signalbox_ready_submissions',
  help: 'Accepted submissions ready to be sent, by lane, counted up to 10,000',
  labelNames: ['lane'],
});

const waitingMessages = new Gauge({
  name: 'signalbox_waiting_messages',
  help: 'Messages that their gateways have not taken so far, by lane, counted up to 10,000',
  labelNames: ['lane'],
});

/** The message expired before it was delivered. */
const EXPIRED: ErrCode = '004';

/** Maintenance of the lanes and messages of the worker's channel. */
export const laneDuties = (): Duty[] => [
  {
    name: 'make due submissions ready',
    everyMs: 250,
    idleMs: 750,
    run: ({ queues, get }) => get(Lanes).wakeDue(queues),
  },
  {
    name: 'find unclaimed submissions',
    everyMs: 1_000,
    run: ({ queues, get }) => get(Lanes).wakeStarved(queues),
  },
  {
    name: 'take released messages',
    everyMs: 250,
    // not awaited: the next pass takes those of lanes that do not wait for a gateway
    run: async ({ get }) => void get(Lanes).takePinned(get(Router).downElsewhere),
  },
  { name: 'wake waiting messages', everyMs: 1_000, run: ({ get }) => get(Lanes).wakeWaiting() },
  { name: 'rescue messages', everyMs: 3_000, run: rescue },
  { name: 'end unconfirmed messages', everyMs: 15_000, run: endUnconfirmed },
  { name: 'count the backlog', everyMs: 15_000, run: countBacklog },
];

/** Fails messages whose submit went without an answer and without a report until some time after their expiry. */
async function endUnconfirmed({ db, get }: DutyContext): Promise<void> {
  const due = await listExpiredUnconfirmed(db, get(Channel).name);
  if (due.length === 0) return;
  const byGateway = Map.groupBy(
    due.filter(({ isOpen }) => isOpen),
    ({ gateway }) => gateway,
  );
  for (const [gateway, messages] of byGateway)
    await get(ReportIntake).receive(gateway, messages.map(toExpiry));
  await deleteUnconfirmed(db, due);
}

function toExpiry({ submissionId, n }: ExpiredUnconfirmed): GatewayReport {
  const description = 'The gateway did not answer, and sent no report before the message expired';
  return {
    messageId: messageId(submissionId, n),
    status: 'FAILED',
    errCode: EXPIRED,
    description,
    reportedAt: new Date(),
  };
}

/** Pauses during an outage of the database, and until the workers have recorded what they submitted before it. */
async function rescue(context: DutyContext): Promise<void> {
  if (settlingMs(context.db) > 0) return;
  await endAbandonedBatches(context);
  await rescueMessages(context);
}

/**
 * Ends the batches of workers that died while they submitted: their gateway may have any of the messages, so they are
 * unconfirmed, and submitted again only where their route says so.
 */
export async function endAbandonedBatches({ db, logger, get }: DutyContext): Promise<void> {
  const channel = get(Channel);
  await db.transaction(async (locked) => {
    const abandoned = await lockAbandonedBatches(locked, channel.lanes, get(ClaimLeases).batchIds);
    for (const { gateway, lane, messages } of abandoned) {
      logger.warn({ gateway, lane, count: messages.length }, 'submit.abandoned');
      await channel.record(gateway, messages.flatMap(toAbandoned), locked);
      const events = messages.map(({ submissionId, n }) => toUnconfirmed({ submissionId, n }, gateway));
      await insertRoutingEvents(locked, events);
    }
    const ids = abandoned.map(({ id }) => id);
    if (ids.length > 0) await deleteSubmitBatches(locked, ids);
  });
}

function toAbandoned({ isResent, submissionId, n }: AbandonedBatch['messages'][number]): RecordedSubmit[] {
  const id = messageId(submissionId, n);
  return toRecordedSubmit(isResent ? resent(id) : { messageId: id, result: 'unconfirmed' });
}

function toUnconfirmed(key: MessageKey, gateway: string): RoutingEvent {
  const reason = 'The worker that submitted the message died, so the message may arrive.';
  return { ...key, event: 'UNCONFIRMED', gateway, reason };
}

/**
 * Re-enqueues messages whose worker died or whose retry was lost, and asks the gateways for overdue reports. A job too
 * many does no harm; a paused lane gets none, since nobody takes its jobs. Submissions need no rescue, since the rounds
 * of their lane find them. While a queue does not answer, this process submits lost messages itself, and no report is
 * claimed as overdue, so that nothing is counted against a message. A gateway is asked one question at a time, and asked
 * again soon about messages that it could not be asked about.
 *
 * @throws Error when a queue does not answer
 */
export async function rescueMessages(context: DutyContext): Promise<void> {
  const { db, queues, logger, get } = context;
  const channel = get(Channel);
  const gateways = get(Gateways).all.filter(isAskable);
  const [oldest] = await Promise.allSettled([oldestJobAt(...channel.reportQueues.map((q) => queues.get(q)))]);
  const lost = await listLostMessages(db, channel.lanes, get(Lanes).paused);
  const overdue = oldest.status === 'fulfilled' ? await claimOverdueOf(gateways, db, oldest.value) : [];
  for (const { lane, submissionIds } of lost) {
    logger.warn({ lane, submissions: submissionIds.length }, 'message.rescued');
    if (oldest.status === 'fulfilled')
      queues.get(LANE_QUEUES[lane]).enqueueJobs(submissionIds, { isRetry: true });
    else get(Lanes).retry(lane, submissionIds);
  }
  if (oldest.status === 'rejected') throw oldest.reason;
  for (const { gateway, messages } of overdue) {
    logger.warn({ count: messages.length, gateway: gateway.name }, 'report.overdue');
    // not awaited: an answer may take half a minute, and a rescue or a shutdown must not
    askFor(gateway, messages, context).catch((error: unknown) =>
      logger.warn({ gateway: gateway.name, error }, 'report.unasked'),
    );
  }
}

/**
 * When each gateway may be asked again (`performance.now()`): not while it answers a question, nor soon after one that
 * could not be asked.
 */
const askableAt = new WeakMap<Gateway, number>();

/** Messages of a gateway that is not up stay overdue. Those of one that can never be asked only stop being listed as open. */
function isAskable(gateway: Gateway): boolean {
  if ((askableAt.get(gateway) ?? 0) > performance.now()) return false;
  return !gateway.canBeAsked || gateway.state().status === 'up';
}

/** Asks a gateway for reports, and makes those messages due again soon about which it could not be asked. */
async function askFor(
  gateway: Gateway,
  messages: MessageAddress[],
  { db, logger }: DutyContext,
): Promise<void> {
  askableAt.set(gateway, Infinity);
  const { unasked, error } = await gateway.query(messages).then(
    (rest) => ({ unasked: rest, error: undefined }),
    (cause: unknown) => ({ unasked: messages, error: cause }),
  );
  askableAt.set(gateway, unasked.length === 0 ? 0 : performance.now() + ASK_AGAIN_SECONDS * 1_000);
  if (unasked.length === 0) return;
  logger.warn({ gateway: gateway.name, count: unasked.length, error }, 'report.unasked');
  const keys = unasked.flatMap((message) => messageKeyOf(message) ?? []);
  await askAgain(db, gateway.name, keys);
}

async function claimOverdueOf(
  gateways: readonly Gateway[],
  db: EntityManager,
  oldest: Date,
): Promise<{ gateway: Gateway; messages: MessageAddress[] }[]> {
  const overdue = [];
  for (const gateway of gateways) {
    const rows = await claimOverdue(db, gateway.name, oldest, gateway.canBeAsked);
    const segmentIds = rows.length > 0 ? await segmentIdsOf(db, rows) : new Map<string, string[]>();
    if (rows.length > 0) overdue.push({ gateway, messages: rows.map((row) => toAddress(row, segmentIds)) });
  }
  return overdue;
}

function toAddress(
  { submissionId, n, recipient, sender, gatewayMessageId }: OverdueMessage,
  segmentIds: ReadonlyMap<string, string[]>,
): MessageAddress {
  const id = messageId(submissionId, n);
  const ids = segmentIds.get(id) ?? (gatewayMessageId === null ? [] : [gatewayMessageId]);
  return { messageId: id, recipient, sender, gatewayMessageIds: ids };
}

/** Returns the ids of all segments by message, of messages with several. */
async function segmentIdsOf(
  db: EntityManager,
  messages: readonly MessageKey[],
): Promise<Map<string, string[]>> {
  const rows = await listSegmentIds(db, messages);
  const byMessage = Map.groupBy(rows, ({ submissionId, n }) => messageId(submissionId, n));
  return new Map(
    Array.from(byMessage, ([id, own]) => [id, own.map(({ gatewayMessageId }) => gatewayMessageId)]),
  );
}

async function countBacklog({ db, get }: DutyContext): Promise<void> {
  for (const { lane, count } of await countReady(db, get(Channel).name))
    readySubmissions.set({ lane }, count);
  for (const { lane, count } of await countWaitingMessages(db, get(Channel).name))
    waitingMessages.set({ lane }, count);
  showUnconfirmed(await countUnconfirmed(db, get(Channel).name));
}
