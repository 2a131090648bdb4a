import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { insertGatewayOptOuts } from '@signalbox/database/gateways/inbound-sms';
import { insertInbounds } from '@signalbox/database/chat/inbound-messages';
import {
  type ProcessedCallback,
  type StoredCallback,
  lockCallbacks,
  markCallbacksProcessed,
} from '@signalbox/database/reports/callbacks';
import { insertReports } from '@signalbox/database/reports/reports';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { LruMap } from '@signalbox/runtime/lru-map';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { type CallbackContents, readCallback, unreadCallback } from './callback-contents.ts';
import { CallbackFormats, type GatewayCallbacks } from './callback-formats.ts';
import { type ReportKey, enqueueReports } from '../reports/enqueue-reports.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { joinCallbackSegments } from '../gateways/callback-segments.ts';
import { OrphanBox } from '../orphans/orphan-box.ts';
import { storeInboundSms } from '../sms/inbound.ts';
import { DURABLE } from '../worker/worker.module.ts';
import { leaveOutForeign } from './foreign-reports.ts';
import { storeProviderChanges } from './provider-changes.ts';

/** Callbacks that were stored together, and the reports to enqueue. */
interface Stored {
  readings: CallbackContents[];
  reports: ReportKey[];
  /** The ids of those about codes. */
  codeReports: ReadonlySet<string>;
}

/** Counts of some callbacks and their contents. */
interface ReadCounts {
  callbacks: number;
  reports: number;
  inbound: number;
}

/** Time after which an equal problem of a gateway is logged again. */
const LOG_AGAIN_MS = 3_600_000;
/** Minimum number of latest problems that are remembered. */
const MIN_LOGGED = 1_000;

/** Maximum number of jobs that share a transaction. */
const MAX_JOBS = 8;

/**
 * Reads the stored callbacks that their intake left unread, in the order of their arrival: one batch after the other.
 * Jobs that arrive meanwhile share the next batch.
 */
@Injectable()
export class CallbackReader {
  private readonly batches: GroupCommit<string[], ReadCounts>;
  private readonly loggedAt = new LruMap<string, number>(MIN_LOGGED);

  constructor(
    @InjectEntityManager(DURABLE) private readonly db: EntityManager,
    private readonly queues: Queues,
    private readonly logger: Logger,
    private readonly formats: CallbackFormats,
    private readonly counts: OutcomeCounts,
  ) {
    const flush = async (jobs: string[][]): Promise<ReadCounts[]> => {
      const read = await this.readBatch([...new Set(jobs.flat())]);
      return jobs.map(() => read);
    };
    this.batches = new GroupCommit(flush, { maxBatch: MAX_JOBS, maxWaiting: 1_000 });
  }

  /** Reads the callbacks of a job. @throws the error of the database; the queue runs the job again */
  read(callbackIds: string[]): Promise<ReadCounts> {
    return this.batches.add(callbackIds);
  }

  /**
   * Stores the contents of callbacks and marks them processed, all or nothing. Skips callbacks that are locked or
   * processed. An unusable entry is kept as the problem of its callback and does not affect the others.
   */
  private async readBatch(callbackIds: string[]): Promise<ReadCounts> {
    const stored: Stored[] = [];
    const storeAll = async (ids: string[]): Promise<void> =>
      void stored.push(await this.db.transaction((db) => this.store(db, ids)));
    for (const { item, error } of await bisect(callbackIds, storeAll, isRefusedValue))
      await this.refuse(item, error);
    const readings = stored.flatMap((each) => each.readings);
    for (const { reports, codeReports } of stored) enqueueReports(this.queues, reports, codeReports);
    for (const { gateway, reports } of readings) this.counts.countReports(gateway, reports);
    for (const reading of readings) this.logProblem(reading);
    const count = (key: 'reports' | 'inbound' | 'sms'): number =>
      readings.reduce((sum, reading) => sum + reading[key].length, 0);
    return {
      callbacks: readings.length,
      reports: count('reports'),
      inbound: count('inbound') + count('sms'),
    };
  }

  /** Logs a problem once an hour for each gateway; every callback keeps its own. */
  private logProblem({ id, gateway, problems }: CallbackContents): void {
    const problem = problems.join(' ');
    const key = `${gateway} ${problem.replace(/\d+/g, '#')}`;
    const now = Date.now();
    if (problem === '' || now - (this.loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < LOG_AGAIN_MS) return;
    this.loggedAt.set(key, now);
    this.logger.warn({ callbackId: id, gateway, problem }, 'callback.problem');
  }

  private readAll(callbacks: StoredCallback[]): Promise<CallbackContents[]> {
    return Promise.all(
      callbacks.map(async (callback) => this.readOne(callback, await this.formats.find(callback.gateway))),
    );
  }

  /** Sets aside a callback that its format fails on, which no repeat would read. It is kept in its body. */
  private readOne(callback: StoredCallback, found: GatewayCallbacks | undefined): CallbackContents {
    try {
      return readCallback(callback, found);
    } catch (error) {
      this.logger.error({ callbackId: callback.id, error }, 'callback.refused');
      return unreadCallback(callback, 'It cannot be read.');
    }
  }

  /** Marks a callback whose contents the database refuses. They are kept in its body. */
  private async refuse(id: string, error: unknown): Promise<void> {
    this.logger.error({ callbackId: id, error }, 'callback.refused');
    await markCallbacksProcessed(this.db, [{ id, problem: 'The database refused its contents.' }]);
  }

  private async store(db: EntityManager, callbackIds: string[]): Promise<Stored> {
    const read = await leaveOutForeign(db, await this.readAll(await lockCallbacks(db, callbackIds)));
    if (read.length === 0) return { readings: read, reports: [], codeReports: new Set() };
    const reports = read.flatMap((reading) => reading.reports);
    const codeReports = reports.length > 0 ? await insertReports(db, reports) : new Set<string>();
    const inbound = read.flatMap((reading) => reading.inbound);
    const { reportIds, unowned } = await insertInbounds(db, inbound);
    const joined = await joinCallbackSegments(db, read);
    const sms = await storeInboundSms(db, [...read.flatMap((reading) => reading.sms), ...joined]);
    const optOuts = read.flatMap((reading) => reading.optOuts);
    await insertGatewayOptOuts(db, optOuts);
    for (const { gateway, unresolved } of read) await new OrphanBox(db).keep(gateway, unresolved);
    await storeProviderChanges(
      db,
      read.map(({ changes }) => changes),
    );
    const readings = noteUnowned(read, new Set([...unowned, ...sms.unowned]));
    await markCallbacksProcessed(db, readings.map(toProcessed));
    const written = [...reportIds, ...sms.reportIds].map((id) => ({ id, n: 0 }));
    return { readings, reports: [...reports, ...written], codeReports };
  }
}

/** Adds a problem to callbacks with messages to a number that no account owns. */
function noteUnowned(readings: CallbackContents[], unowned: ReadonlySet<string>): CallbackContents[] {
  return readings.map((reading) => {
    const count = [...reading.inbound, ...reading.sms].filter(({ id }) => unowned.has(id)).length;
    if (count === 0) return reading;
    return {
      ...reading,
      problems: [...reading.problems, `Messages to a number that nobody owns: ${count}.`],
    };
  });
}

function toProcessed({ id, problems }: CallbackContents): ProcessedCallback {
  return { id, problem: problems.length === 0 ? null : problems.join(' ') };
}
