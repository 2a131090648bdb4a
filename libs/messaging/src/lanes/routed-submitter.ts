import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { insertPins } from '@signalbox/database/gateways/pins';
import { type RoutingEvent, insertRoutingEvents } from '@signalbox/database/gateways/routing-events';
import {
  type BatchedMessage,
  type SubmitBatch,
  insertSubmitBatch,
} from '@signalbox/database/gateways/submit-batches';
import { CLAIMED_FOR_MS } from '@signalbox/database/core/settling';
import { returnClaims } from '@signalbox/database/messages/claims';
import type { ErrCode } from '@signalbox/domain/err-codes';
import type { Lane } from '@signalbox/domain/lane';
import { messageKeyOf } from '@signalbox/domain/message-id';
import { stepAfter, throttleDelayMs } from '@signalbox/domain/routing/failover';
import { takesOf } from '@signalbox/domain/routing/gateway-health';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { toStorableText } from '@signalbox/domain/sanitize';
import type { Gateway, OutgoingMessage } from '@signalbox/gateways/gateway';
import { isOutage } from '@signalbox/runtime/outage';
import { EntityManager } from 'typeorm';
import type { ClaimedRow } from './channel.ts';
import { toClaim } from './claim-leases.ts';
import { type RecordableOutcome, resent } from './recordable-outcome.ts';
import { NOTHING, type Submitted, countOutcomes, merge, withTaken } from './submitted.ts';
import { Submitter } from './submitter.ts';
import { Admission, type RoutedOutcome } from '../gateways/admission.ts';
import { Gateways, type OpenedRow } from '../gateways/gateways.ts';
import { type Openings, type Outlet, type RoutedSubmit, Router } from '../gateways/router.ts';

/** Milliseconds for which released messages are left to the workers whose gateway is up. */
const RELEASE_MS = 5_000;

/**
 * Milliseconds until a message without a gateway is routed again. They grow by WAIT_FACTOR with each attempt, up to
 * MAX_WAIT_MS, and end early when another gateway takes messages, or other routes do. So a million messages that wait
 * while other gateways take theirs cost about 1,700 attempts a second.
 */
const FIRST_WAIT_MS = 1_000;
const WAIT_FACTOR = 4;
export const MAX_WAIT_MS = 600_000;

/** The gateway has no route to the recipient. */
const NO_ROUTE: ErrCode = '011';

/** Thrown when another worker may have claimed messages before they were submitted: the database was slow. */
class ClaimEnded extends Error {
  override name = 'ClaimEnded';
}

/** The claim of messages of a lane. */
interface LaneClaim {
  lane: Lane;
  /**
   * When it, or its last renewal, was sent, by `performance.now()`. What is submitted so late that another worker may have
   * claimed it rejects instead.
   */
  claimedAt: number;
  /** True when the pace of the channel has reserved its messages of the rates of the gateways. */
  isReserved?: boolean;
}

/** The decisions on the outcomes of one gateway. */
interface Decisions<Message extends OutgoingMessage> {
  toRecord: RecordableOutcome[];
  /** Messages for their next gateway. */
  toNext: RoutedSubmit<Message>[];
  events: RoutingEvent[];
}

/**
 * Submits messages to the gateways that their routes choose, and to the next candidate when a gateway did not take one.
 * While no gateway is configured, every message goes to the default gateway, without routing.
 */
@Injectable()
export class RoutedSubmitter<
  Row extends ClaimedRow = ClaimedRow,
  Message extends OutgoingMessage = OutgoingMessage,
> {
  constructor(
    private readonly db: EntityManager,
    private readonly gateways: Gateways<Message>,
    private readonly router: Router<Message>,
    private readonly submitter: Submitter<Row, Message>,
    private readonly admission: Admission,
  ) {}

  /** Is true while several gateways share the messages, so that none has to wait for another. */
  get isShared(): boolean {
    return this.gateways.hasChoice;
  }

  /** The way that messages can take now, whatever their route. */
  get outlet(): Outlet {
    return this.router.outlet;
  }

  /** Reads the routes, and the gateways that take messages now. */
  readOpenings(): Openings {
    return this.router.readOpenings();
  }

  /**
   * Submits messages.
   *
   * @returns one promise for each gateway, and one for the messages that wait
   */
  start(claim: LaneClaim, messages: Message[]): Promise<Submitted>[] {
    const { lane } = claim;
    if (messages.length === 0) return [];
    if (!this.gateways.hasRows) return [this.submitPlainly(claim, messages)];
    const routed = this.router.route(messages);
    const waiting = routed.filter(({ candidates }) => candidates.length === 0);
    return [
      ...(waiting.length > 0 ? [this.wait(lane, waiting)] : []),
      ...this.startGroups(
        claim,
        routed.filter(({ candidates }) => candidates.length > 0),
      ),
    ];
  }

  private async submitPlainly({ lane, claimedAt }: LaneClaim, messages: Message[]): Promise<Submitted> {
    if (performance.now() > claimedAt + CLAIMED_FOR_MS) {
      await returnClaims(this.db, messages.flatMap(toClaim));
      throw new ClaimEnded('The claim of messages ended before their submit');
    }
    const gateway = this.gateways.defaultGateway;
    const { outcomes, gatewayMs } = await this.submitter.submit(lane, { gateway, messages });
    return { ...withTaken(countOutcomes(outcomes, true), messages.length), gatewayMs };
  }

  private startGroups(claim: LaneClaim, routed: readonly RoutedSubmit<Message>[]): Promise<Submitted>[] {
    const groups = Map.groupBy(routed, ({ candidates, next }) => candidates[next]!);
    return Array.from(groups, ([name, group]) => this.submitGroup(claim, name, group));
  }

  /** Submits messages to one gateway, and those that it does not take to their next ones. */
  private async submitGroup(
    claim: LaneClaim,
    name: string,
    group: RoutedSubmit<Message>[],
  ): Promise<Submitted> {
    const { lane, isReserved = false } = claim;
    const opened = this.gateways.find(name);
    if (!opened?.gateway || opened.row.paused || takesOf(opened.state()) === 'none')
      return this.release(lane, name, group);
    const { gateway, row } = opened;
    const isAlone = !this.isShared;
    const rate = isAlone && gateway.pacesItself ? null : row.ratePerSecond;
    const limits = { lane, rate, isAlone, isReserved: isReserved && isAlone };
    const { admitted, refused } = this.admission.admit(name, limits, group);
    const parts = await Promise.all([
      refused.length > 0 ? this.turnAway(claim, opened, refused) : NOTHING,
      admitted.length > 0 ? this.submitAdmitted(claim, { ...opened, gateway }, admitted) : NOTHING,
    ]);
    return merge(parts);
  }

  /** Sends messages that a gateway may not have now to their next gateway, and records the others as throttled. */
  private async turnAway(
    claim: LaneClaim,
    opened: OpenedRow<Message>,
    refused: RoutedOutcome<RoutedSubmit<Message>>[],
  ): Promise<Submitted> {
    const decisions = this.decide(opened, refused);
    const [submitted] = await Promise.all([
      this.followUp(claim, decisions),
      this.submitter.record(claim.lane, opened.row.name, decisions.toRecord),
    ]);
    return merge([countOutcomes(decisions.toRecord, !this.isShared), submitted]);
  }

  private async submitAdmitted(
    { lane, claimedAt }: LaneClaim,
    opened: OpenedRow<Message> & { gateway: Gateway<Message> },
    admitted: RoutedSubmit<Message>[],
  ): Promise<Submitted> {
    const { name } = opened.gateway;
    const batch = { gateway: opened.gateway, messages: admitted.map(({ message }) => message) };
    let decisions: Decisions<Message> = { toRecord: [], toNext: [], events: [] };
    const decide = (outcomes: SubmitOutcome[]): RecordableOutcome[] => {
      this.admission.holds.note(name, batch.messages, outcomes);
      decisions = this.decide(
        opened,
        outcomes.map((outcome, i) => ({ routed: admitted[i]!, outcome })),
      );
      return decisions.toRecord;
    };
    const noted = { id: randomUUIDv7(), notedAt: performance.now() };
    await this.insertBatch({ id: noted.id, gateway: name, lane }, toBatched(admitted), claimedAt);
    const submit = () => this.submitter.submit(lane, batch, decide, { noted });
    const { gatewayMs, renewedAt = claimedAt } = await this.admission.during(name, admitted.length, submit);
    const counts = countOutcomes(decisions.toRecord, !this.isShared);
    const sent = { ...withTaken(counts, admitted.length), gatewayMs };
    return merge([sent, await this.followUp({ lane, claimedAt: renewedAt }, decisions)]);
  }

  /**
   * Stores a batch. One whose insert fails may be stored nevertheless, and is deleted: it is not submitted. The starts of
   * its messages do not count when only the database was slow or away.
   */
  private async insertBatch(
    batch: SubmitBatch,
    messages: readonly BatchedMessage[],
    claimedAt: number,
  ): Promise<void> {
    try {
      if (await insertSubmitBatch(this.db, batch, messages, claimedAt)) return;
      throw new ClaimEnded('The claim of a submit batch ended before Postgres stored the batch');
    } catch (error) {
      await this.submitter.deleteNoted(batch.gateway, batch);
      if (error instanceof ClaimEnded || isOutage(error)) await returnClaims(this.db, messages);
      throw error;
    }
  }

  /** Submits to the next gateways, and stores the events for the timelines. */
  private async followUp(claim: LaneClaim, { toNext, events }: Decisions<Message>): Promise<Submitted> {
    const [submitted] = await Promise.all([
      Promise.all(this.startGroups(claim, toNext)),
      events.length > 0 ? insertRoutingEvents(this.db, events) : undefined,
    ]);
    return merge(submitted);
  }

  private decide(
    opened: OpenedRow<Message>,
    outcomes: readonly RoutedOutcome<RoutedSubmit<Message>>[],
  ): Decisions<Message> {
    const isUp = takesOf(opened.state()) === 'any';
    const decisions: Decisions<Message> = { toRecord: [], toNext: [], events: [] };
    for (const { routed, outcome } of outcomes) {
      const { message, candidates, next, policy } = routed;
      const throttledMs = message.throttledAt ? Date.now() - message.throttledAt.getTime() : 0;
      const facts = { hasNext: next + 1 < candidates.length, isUp, throttledMs, policy };
      const step = stepAfter(outcome, facts);
      if (step === 'next') decisions.toNext.push({ ...routed, next: next + 1 });
      else if (step === 'resend') decisions.toRecord.push(resent(message.messageId));
      else if (outcome.result === 'throttled')
        decisions.toRecord.push({ ...outcome, retryAfterMs: throttleDelayMs(outcome.retryAfterMs, facts) });
      else decisions.toRecord.push(outcome);
      if (this.isShared || outcome.result !== 'accepted') {
        const about = { outcome, isNext: step === 'next', isUp };
        decisions.events.push(...this.eventsOf(opened.row.name, routed, about));
      }
    }
    return decisions;
  }

  /**
   * The events of one outcome, for the timeline of its message. A message that waits for the same gateway has none yet.
   */
  private eventsOf(
    gateway: string,
    { message, next, candidates, reason }: RoutedSubmit<Message>,
    { outcome, isNext, isUp }: { outcome: SubmitOutcome; isNext: boolean; isUp: boolean },
  ): RoutingEvent[] {
    const key = messageKeyOf(message);
    if (!key || (outcome.result === 'throttled' && !isNext)) return [];
    const routed = next === 0 ? reason : `${candidates[next - 1]} could not take it.`;
    return [
      ...(this.isShared ? [{ ...key, event: 'ROUTED' as const, gateway, reason: routed }] : []),
      ...(isNext ? [{ ...key, event: 'FAILED_OVER' as const, gateway, reason: whyNext(outcome, isUp) }] : []),
      ...(outcome.result === 'unconfirmed'
        ? [
            {
              ...key,
              event: 'UNCONFIRMED' as const,
              gateway,
              reason: 'It did not answer, so the message may arrive.',
            },
          ]
        : []),
    ];
  }

  /** Leaves messages to the workers whose gateway of this name is up. After RELEASE_MS any worker may claim them. */
  private async release(lane: Lane, name: string, group: RoutedSubmit<Message>[]): Promise<Submitted> {
    const outcomes = group.map(({ message: { messageId } }) => released(messageId, RELEASE_MS));
    await this.submitter.record(lane, name, outcomes);
    await insertPins(
      this.db,
      name,
      lane,
      group.flatMap(({ message }) => toClaim(message)),
    );
    return countOutcomes(outcomes, false);
  }

  /** Lets messages wait for a gateway, and fails those that none will take. */
  private async wait(lane: Lane, group: RoutedSubmit<Message>[]): Promise<Submitted> {
    this.router.noteWaiting();
    const outcomes = group.map((routed): RecordableOutcome => {
      const { messageId, attempt } = routed.message;
      const description = this.whyNever(routed);
      return description === undefined
        ? released(messageId, Math.min(FIRST_WAIT_MS * WAIT_FACTOR ** (attempt - 1), MAX_WAIT_MS))
        : { messageId, result: 'rejected', errCode: NO_ROUTE, description };
    });
    await this.submitter.record(lane, null, outcomes);
    return countOutcomes(outcomes, false);
  }

  private whyNever({ message: { via }, isUnroutable }: RoutedSubmit<Message>): string | undefined {
    if (isUnroutable) return 'No route takes this message';
    return via === undefined || this.gateways.find(via) ? undefined : `There is no enabled gateway ${via}`;
  }
}

function toBatched(group: readonly RoutedSubmit[]): BatchedMessage[] {
  return group.flatMap(({ message, policy }) =>
    toClaim(message).map((claim) => ({ ...claim, isResent: policy.resendUnconfirmed })),
  );
}

function released(messageId: string, retryAfterMs: number): RecordableOutcome {
  return { messageId, result: 'released', retryAfterMs };
}

function whyNext(outcome: SubmitOutcome, isUp: boolean): string {
  if (outcome.result === 'rejected') return `It refused the message: ${toStorableText(outcome.description)}`;
  return isUp
    ? 'It throttled the message for longer than the route allows.'
    : 'It went down before it took the message.';
}
