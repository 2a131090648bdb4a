import {
  type ChatRound,
  type ChatShare,
  type ClaimedChat,
  fanOutChat,
} from '@signalbox/database/chat/fan-out';
import { rejection, toRecordedSubmit } from '@signalbox/database/messages/gateway-outcomes';
import { newReport } from '@signalbox/database/reports/gateway-reports';
import { recordChatSubmits } from '@signalbox/database/messages/messages';
import { type Reclaimed, reclaim } from '@signalbox/database/submissions/reclaim';
import { insertReports } from '@signalbox/database/reports/reports';
import { wipeDispatched } from '@signalbox/database/submissions/submissions';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import type { ChatLane } from '@signalbox/domain/lane';
import type { ChatAppGateway } from '@signalbox/gateways/chat-app-gateway';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { Bell } from '@signalbox/runtime/bell';
import type { EntityManager } from 'typeorm';
import type { ChatappBells } from './chatapp.bells.ts';
import type { ChatappWriter } from './chatapp.writer.ts';

/** What one run did, for its log line. */
export interface Dispatched {
  claimed: number;
  /** Not submitted, because they had expired, say. */
  ended: number;
  submitted: number;
  throttled: number;
  rejected: number;
  /** Sealed with another key than this process has: left pending, and parked in the end. */
  unreadable: number;
  /** How long the gateway took. */
  gatewayMs: number;
}

/** Takes messages from accepted to submitted: claim, write, submit, record; one statement a step, whatever the batch. */
export class ChatappDispatcher {
  /** @param reports rings for stored reports */
  constructor(
    private readonly db: EntityManager,
    private readonly gateway: ChatAppGateway,
    private readonly reports: Bell,
    private readonly bells: ChatappBells,
    private readonly writer: ChatappWriter,
  ) {}

  /** Submits what a lane has ready, at the pace of its senders. Only messages that this run claims are submitted. */
  async dispatch(
    lane: ChatLane,
    share: Omit<ChatShare, 'leaseSeconds'>,
  ): Promise<{ round: ChatRound; dispatched: Dispatched }> {
    const round = await fanOutChat(this.db, lane, { ...share, leaseSeconds: LEASE_SECONDS });
    return { round, dispatched: await this.submit(lane, round) };
  }

  /** Takes up again what these submissions have pending that nobody holds: a repeat finds nothing, or what a dead worker left behind. */
  async retry(lane: ChatLane, submissionIds: string[]): Promise<Dispatched> {
    const reclaimed = await reclaim<ClaimedChat>(this.db, submissionIds, LEASE_SECONDS);
    if (reclaimed.messages.length + reclaimed.reportIds.length === FAN_OUT_CHUNK)
      this.bells.ringAgain(lane, submissionIds);
    return this.submit(lane, reclaimed);
  }

  private async submit(
    lane: ChatLane,
    { messages: claimed, reportIds }: Reclaimed<ClaimedChat>,
  ): Promise<Dispatched> {
    this.reports.ring(reportIds);
    const messages = await this.writer.write(claimed);
    const startedAt = performance.now();
    const outcomes = messages.length === 0 ? [] : await this.gateway.submit(messages);
    const gatewayMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const recorded = await this.record(lane, outcomes);
    const secret = claimed.flatMap(({ submissionId, sealed }) => (sealed ? [submissionId] : []));
    if (secret.length > 0) await wipeDispatched(this.db, secret);
    const unreadable = claimed.length - messages.length;
    return {
      claimed: claimed.length,
      ended: reportIds.length,
      submitted: messages.length,
      ...recorded,
      unreadable,
      gatewayMs,
    };
  }

  /**
   * A rejection is a report like any other, and its message's webhook hears of it. It is stored before the message stops being pending, so that a
   * crash in between loses neither.
   */
  private async record(
    lane: ChatLane,
    outcomes: SubmitOutcome[],
  ): Promise<Pick<Dispatched, 'throttled' | 'rejected'>> {
    const { name } = this.gateway;
    const rejected = outcomes.filter((outcome) => outcome.result === 'rejected');
    const throttled = outcomes.filter((outcome) => outcome.result === 'throttled');
    const reports = rejected.flatMap((outcome) => newReport(name, rejection(outcome)) ?? []);
    if (reports.length > 0) await insertReports(this.db, reports);
    const reportIds = await recordChatSubmits(this.db, name, outcomes.flatMap(toRecordedSubmit));
    this.reports.ring([...reports.map(({ id }) => id), ...reportIds]);
    if (throttled.length > 0) this.bells.ringLater(lane, throttled);
    return { throttled: throttled.length, rejected: rejected.length };
  }
}
