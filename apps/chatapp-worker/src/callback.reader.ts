import {
  type ProcessedCallback,
  type StoredCallback,
  lockCallbacks,
  markCallbacksProcessed,
} from '@signalbox/database/reports/callbacks';
import { newReport } from '@signalbox/database/reports/gateway-reports';
import { type NewInbound, insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { type NewReport, insertReports } from '@signalbox/database/reports/reports';
import { timeOf } from '@signalbox/domain/id-time';
import { inboundId } from '@signalbox/domain/chat/inbound-id';
import { parseMessageId } from '@signalbox/domain/message-id';
import { readStopWord } from '@signalbox/domain/chat/stop-word';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';
import { callbackFormat } from '@signalbox/gateways/registry';
import type { Bell } from '@signalbox/runtime/bell';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

/** What one callback says, ready to be stored. */
interface Reading {
  id: string;
  gateway: string;
  reports: NewReport[];
  inbound: NewInbound[];
  problems: string[];
}

/** What was read of some callbacks. */
interface ReadCounts {
  callbacks: number;
  reports: number;
  inbound: number;
}

/** Jobs that one transaction takes on at most. */
const MAX_JOBS = 8;

/** Reads what providers called back with, in the order it came: one batch after the other, and jobs that come meanwhile share the next. */
export class CallbackReader {
  private readonly batches: GroupCommit<string[], ReadCounts>;

  /** @param reports rings for stored reports */
  constructor(
    private readonly db: EntityManager,
    private readonly reports: Bell,
    private readonly logger: Logger,
  ) {
    const flush = async (jobs: string[][]): Promise<ReadCounts[]> => {
      const counts = await this.readBatch([...new Set(jobs.flat())]);
      return jobs.map(() => counts);
    };
    this.batches = new GroupCommit(flush, { maxBatch: MAX_JOBS, maxWaiting: 1_000 });
  }

  /** Reads the callbacks of a job. @throws what the database threw: the job comes again */
  read(callbackIds: string[]): Promise<ReadCounts> {
    return this.batches.add(callbackIds);
  }

  /**
   * Stores what callbacks say and marks them as processed, all or nothing; those that somebody else reads or has read are left alone. What cannot be used
   * of one is kept with it as its problem, and holds up no other.
   */
  private async readBatch(callbackIds: string[]): Promise<ReadCounts> {
    const { readings, reportIds } = await this.db.transaction((db) => this.store(db, callbackIds));
    this.reports.ring(reportIds);
    for (const { id, gateway, problems } of readings)
      if (problems.length > 0)
        this.logger.warn({ callbackId: id, gateway, problem: problems.join(' ') }, 'callback.problem');
    const count = (key: 'reports' | 'inbound'): number =>
      readings.reduce((sum, reading) => sum + reading[key].length, 0);
    return { callbacks: readings.length, reports: count('reports'), inbound: count('inbound') };
  }

  private async store(
    db: EntityManager,
    callbackIds: string[],
  ): Promise<{ readings: Reading[]; reportIds: string[] }> {
    const readings = (await lockCallbacks(db, callbackIds)).map(readCallback);
    if (readings.length === 0) return { readings, reportIds: [] };
    const reports = readings.flatMap((reading) => reading.reports);
    if (reports.length > 0) await insertReports(db, reports);
    const { reportIds, unowned } = await insertInbounds(
      db,
      readings.flatMap(({ inbound }) => inbound),
    );
    tellUnowned(readings, new Set(unowned));
    await markCallbacksProcessed(db, readings.map(toSettled));
    return { readings, reportIds: [...reports.map(({ id }) => id), ...reportIds] };
  }
}

function readCallback({ id, gateway, body }: StoredCallback): Reading {
  const format = callbackFormat(gateway);
  if (!format)
    return { id, gateway, reports: [], inbound: [], problems: ['No gateway of this name calls back.'] };
  const told = format.read(body);
  const reports = told.reports.flatMap((report) => newReport(gateway, report) ?? []);
  const foreign = told.reports.length - reports.length;
  return {
    id,
    gateway,
    reports,
    inbound: told.inbound.map((message, index) => toNewInbound(gateway, inboundId(id, index), message)),
    problems: [
      ...(told.problem === null ? [] : [told.problem]),
      ...(foreign > 0 ? [`Reports that name no message of ours: ${foreign}.`] : []),
    ],
  };
}

function toNewInbound(
  gateway: string,
  id: string,
  { from, to, kind, content, ...message }: GatewayInbound,
): NewInbound {
  const receivedAt = timeOf(id);
  const body = toStorableText(content.text.body);
  return {
    id,
    gateway,
    gatewayMessageId: toStorableText(message.gatewayMessageId),
    from,
    to,
    kind,
    content: { text: { body } },
    replyTo: message.replyTo === null ? null : (parseMessageId(message.replyTo) ?? null),
    sentAt: clampInstant(message.sentAt, receivedAt),
    receivedAt,
    wish: readStopWord(body) ?? null,
  };
}

function tellUnowned(readings: Reading[], unowned: ReadonlySet<string>): void {
  for (const { inbound, problems } of readings) {
    const count = inbound.filter(({ id }) => unowned.has(id)).length;
    if (count > 0) problems.push(`Messages to a number that nobody owns: ${count}.`);
  }
}

function toSettled({ id, problems }: Reading): ProcessedCallback {
  return { id, problem: problems.length === 0 ? null : problems.join(' ') };
}
