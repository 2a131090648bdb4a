import { Injectable } from '@nestjs/common';
import { listReportMessages } from '@signalbox/database/reports/report-messages';
import { listQueueMinutes, listQueueRates } from '@signalbox/database/ops/queue-minutes';
import { messageId } from '@signalbox/domain/message-id';
import type { RowKind } from '@signalbox/queues/define-queue';
import { rowKindOf } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import {
  MAX_JOBS,
  type QueueAdmin,
  type QueuedJob,
  type RemovableState,
} from '@signalbox/queues/queue-admin';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { requireLiveCaller } from '../auth/live-caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import type { CleanRequest, DrainRequest, JobQuery, QueueQuery, RetryJobsRequest } from './queue.dto.ts';
import {
  type JobView,
  LISTED_ROWS,
  type QueueActionView,
  type QueueHistoryView,
  type QueueView,
  jobView,
  queueMinuteView,
  queueView,
} from './queue.view.ts';

/** Shows and operates the queues of the installation. */
@Injectable()
export class QueuesService {
  constructor(
    private readonly db: EntityManager,
    private readonly queues: Queues,
    private readonly cursors: Cursors,
  ) {}

  /** @throws ApiError unavailable, while the queues do not answer */
  async list(): Promise<QueueView[]> {
    const rates = await listQueueRates(this.db);
    const view = async (admin: QueueAdmin): Promise<QueueView> => {
      const rate = rates.find(({ queue }) => queue === admin.name);
      return queueView(admin.name, await answering(admin.state()), rate);
    };
    return Promise.all(this.queues.all.map(({ admin }) => view(admin)));
  }

  /** @throws ApiError queue_not_found, unavailable */
  async get(name: string, { hours }: QueueQuery): Promise<QueueHistoryView> {
    const view = await this.viewOf(this.find(name));
    const minutes = await listQueueMinutes(this.db, name, hours);
    return { ...view, minutes: minutes.map(queueMinuteView) };
  }

  /**
   * A page of the jobs of a state. Jobs come and go between two pages.
   *
   * @throws ApiError queue_not_found, unavailable, invalid_request
   */
  async listJobs(
    accountId: string,
    name: string,
    { state, limit, cursor }: JobQuery,
  ): Promise<Page<JobView>> {
    const list = `jobs ${name} ${state}`;
    const from = cursor === undefined ? 0 : Number(this.cursors.decodeDigits(list, accountId, cursor));
    const found = await answering(this.find(name).listJobs(state, from, limit + 1));
    const jobs = found.slice(0, limit);
    const kind = rowKindOf(name);
    const messageIdOf = await this.messagesOf(kind, jobs);
    const next = from + limit;
    return {
      page: jobs.map((job) => jobView(job, state, kind, messageIdOf)),
      nextCursor: found.length > limit ? this.cursors.encodeDigits(list, accountId, String(next)) : null,
    };
  }

  /** @throws ApiError queue_not_found, unavailable; those of `requireLiveCaller` */
  async pause(caller: Caller, name: string): Promise<QueueView> {
    const admin = this.find(name);
    await this.requireLive(caller);
    await answering(admin.pause());
    return this.viewOf(admin);
  }

  /** @throws ApiError queue_not_found, unavailable; those of `requireLiveCaller` */
  async resume(caller: Caller, name: string): Promise<QueueView> {
    const admin = this.find(name);
    await this.requireLive(caller);
    await answering(admin.resume());
    return this.viewOf(admin);
  }

  /** Removes waiting jobs, and delayed ones if asked. @throws ApiError those of `act` */
  async drain(caller: Caller, name: string, { delayed, ...request }: DrainRequest): Promise<QueueActionView> {
    const states = delayed ? (['waiting', 'delayed'] as const) : (['waiting'] as const);
    return this.act({ caller, name, ...request }, states, async (admin, limit) => {
      const waiting = await admin.remove('waiting', limit);
      return delayed ? waiting + (await admin.remove('delayed', limit - waiting)) : waiting;
    });
  }

  /** Enqueues failed jobs again. @throws ApiError those of `act` */
  async retry(caller: Caller, name: string, request: RetryJobsRequest): Promise<QueueActionView> {
    return this.act({ caller, name, ...request }, ['failed'], (admin, limit) => admin.retryFailed(limit));
  }

  /** Removes the jobs of a state. @throws ApiError those of `act` */
  async clean(caller: Caller, name: string, { state, ...request }: CleanRequest): Promise<QueueActionView> {
    return this.act({ caller, name, ...request }, [state], (admin, limit) => admin.remove(state, limit));
  }

  /** @throws ApiError queue_not_found, unavailable; those of `requireLiveCaller` */
  private async act(
    { caller, name, dryRun, limit: given }: RetryJobsRequest & { caller: Caller; name: string },
    states: readonly RemovableState[],
    work: (admin: QueueAdmin, limit: number) => Promise<number>,
  ): Promise<QueueActionView> {
    const admin = this.find(name);
    const limit = given ?? MAX_JOBS;
    if (!dryRun) {
      await this.requireLive(caller);
      const jobs = await answering(work(admin, limit));
      return { jobs, dryRun: false, queue: await this.viewOf(admin) };
    }
    const queue = await this.viewOf(admin);
    const jobs = states.reduce((sum, state) => sum + queue[state], 0);
    return { jobs: Math.min(jobs, limit), dryRun: true, queue };
  }

  /** Checks the caller first, in a transaction that ends before the action: Redis takes no part in one. */
  private async requireLive(caller: Caller): Promise<void> {
    await this.db.transaction((db) => requireLiveCaller(db, caller));
  }

  private find(name: string): QueueAdmin {
    const queue = this.queues.all.find((each) => each.name === name);
    if (!queue) throw new ApiError('queue_not_found');
    return queue.admin;
  }

  private async viewOf(admin: QueueAdmin): Promise<QueueView> {
    const state = await answering(admin.state());
    const rates = await listQueueRates(this.db);
    return queueView(
      admin.name,
      state,
      rates.find(({ queue }) => queue === admin.name),
    );
  }

  private async messagesOf(
    kind: RowKind,
    jobs: readonly QueuedJob[],
  ): Promise<(rowId: string) => string | null> {
    if (kind === 'send') return (id) => `${id}:1`;
    if (kind === 'message') return (id) => id;
    if (kind !== 'report') return () => null;
    const ids = jobs.flatMap(({ rows }) => rows.slice(0, LISTED_ROWS));
    const found = await listReportMessages(this.db, ids);
    const byId = new Map(found.map(({ id, submissionId, n }) => [id, messageId(submissionId, n)]));
    return (id) => byId.get(id) ?? null;
  }
}

/** Converts any failure of a queue: it is unreachable, or too slow to be waited for. */
async function answering<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const message =
      'The queues are unreachable. Workers continue without jobs, a few seconds slower; bring the server of the queues back and try again.';
    throw new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 5 });
  }
}
