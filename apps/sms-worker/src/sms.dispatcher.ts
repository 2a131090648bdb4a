import { type Reclaimed, type ReclaimedMessage, type RecordedSubmit, reclaim, recordSubmits } from '@signalbox/database/messages';
import { type FannedOut, fanOut, wipeDispatched } from '@signalbox/database/submissions';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import type { Lane } from '@signalbox/domain/lane';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { GatewayReport, SmsGateway, SubmitOutcome } from '@signalbox/gateways/sms-gateway';
import type { EntityManager } from 'typeorm';
import type { ReportIntake } from './report-intake.ts';
import type { SmsBells } from './sms.bells.ts';
import type { SmsWriter } from './sms.writer.ts';

/** What one run of a job did, for its log line. */
export interface Dispatched {
  fannedOut: number;
  /** Of those, how many were not submitted because they had ended. */
  skipped: number;
  reclaimed: number;
  throttled: number;
  rejected: number;
  /** Sealed with another key than this process has: left pending, and parked in the end. */
  unreadable: number;
}

/** Takes submissions from accepted to submitted: fan out, submit, record; one statement a step, whatever the batch. */
export class SmsDispatcher {
  constructor(
    private readonly db: EntityManager,
    private readonly gateway: SmsGateway,
    private readonly intake: ReportIntake,
    private readonly bells: SmsBells,
    private readonly writer: SmsWriter,
  ) {}

  /**
   * Submits what these submissions have waiting. Runs at least once: only messages claimed by this run are submitted, so a
   * repeat finds nothing, or what a dead worker left behind.
   */
  async dispatch(lane: Lane, submissionIds: string[]): Promise<Dispatched> {
    const chunks = await fanOut(this.db, submissionIds, LEASE_SECONDS);
    this.ringForTheRest(lane, chunks);
    const { messages: reclaimed, reportIds } = await this.reclaimRepeated(lane, submissionIds, chunks);
    this.intake.announce([...chunks.flatMap((chunk) => chunk.reportIds ?? []), ...reportIds]);
    const messages = await this.writer.write(chunks, reclaimed);
    const outcomes = messages.length === 0 ? [] : await this.gateway.submit(messages);
    const { throttled, rejected } = await this.record(lane, outcomes);
    await this.wipe(chunks, reclaimed);

    const fannedOut = chunks.reduce((sum, chunk) => sum + chunk.recipients.length, 0);
    const skipped = chunks.reduce((sum, chunk) => sum + (chunk.skipped?.length ?? 0), 0);
    const unreadable = fannedOut - skipped + reclaimed.length - messages.length;
    return { fannedOut, skipped, reclaimed: reclaimed.length, throttled, rejected, unreadable };
  }

  /** Rings before this chunk is submitted, so that another run can take the next one meanwhile. */
  private ringForTheRest(lane: Lane, chunks: FannedOut[]): void {
    const unfinished = chunks.filter((chunk) => !chunk.complete).map((chunk) => chunk.id);
    this.bells.ring(lane, unfinished, FAN_OUT_CHUNK);
  }

  private async reclaimRepeated(lane: Lane, submissionIds: string[], chunks: FannedOut[]): Promise<Reclaimed> {
    if (chunks.length === submissionIds.length) return { messages: [], reportIds: [] };
    const fannedOut = new Set(chunks.map((chunk) => chunk.id));
    const repeated = submissionIds.filter((id) => !fannedOut.has(id));
    const reclaimed = await reclaim(this.db, repeated, LEASE_SECONDS);
    if (reclaimed.messages.length + reclaimed.reportIds.length === FAN_OUT_CHUNK) this.bells.ring(lane, repeated, FAN_OUT_CHUNK);
    return reclaimed;
  }

  private async wipe(chunks: FannedOut[], reclaimed: ReclaimedMessage[]): Promise<void> {
    const secret = [...chunks.flatMap((c) => (c.sealed ? [c.id] : [])), ...reclaimed.flatMap((r) => (r.sealed ? [r.submissionId] : []))];
    if (secret.length > 0) await wipeDispatched(this.db, [...new Set(secret)]);
  }

  /**
   * A rejection is a report like any other, and its message's webhook hears of it. It is taken in durably before the message
   * stops being pending, so that a crash in between loses neither.
   */
  private async record(lane: Lane, outcomes: SubmitOutcome[]): Promise<{ throttled: number; rejected: number }> {
    const rejected = outcomes.filter((outcome) => outcome.result === 'rejected');
    const throttled = outcomes.filter((outcome) => outcome.result === 'throttled');
    if (rejected.length > 0) await this.intake.receive(this.gateway.name, rejected.map(toReport));
    const reportIds = await recordSubmits(this.db, this.gateway.name, outcomes.flatMap(toRecordedSubmit));
    this.intake.announce(reportIds);
    if (throttled.length > 0) this.bells.ringLater(lane, throttled);
    return { throttled: throttled.length, rejected: rejected.length };
  }
}

function toReport(rejection: SubmitOutcome & { result: 'rejected' }): GatewayReport {
  const { errCode, description } = rejection;
  return { messageId: rejection.messageId, status: 'FAILED', errCode, description, reportedAt: new Date() };
}

/**
 * An unconfirmed message may be on its way, so it counts as sent: its report decides, and it is never submitted twice.
 * So does a rejected one, whose report is in already.
 */
function toRecordedSubmit(outcome: SubmitOutcome): RecordedSubmit[] {
  const key = parseMessageId(outcome.messageId);
  if (!key) return [];
  if (outcome.result === 'throttled') return [{ ...key, result: 'throttled', gatewayMessageId: null, retryAfterMs: outcome.retryAfterMs }];
  const gatewayMessageId = outcome.result === 'accepted' ? (outcome.gatewayMessageId ?? null) : null;
  return [{ ...key, result: outcome.result === 'rejected' ? 'rejected' : 'sent', gatewayMessageId, retryAfterMs: 0 }];
}
