import { Injectable } from '@nestjs/common';
import {
  type ParkedFilter,
  type ParkedKey,
  type ParkedKind,
  type ParkedRow,
  discardParked,
  freeParked,
  listParked,
} from '@signalbox/database/ops/parked';
import { countParked } from '@signalbox/database/ops/starts';
import { parseMessageId } from '@signalbox/domain/message-id';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import { type Caller, actorOf } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { type DiscardRequest, type FreeRequest, MAX_ROWS, type ParkedQuery } from './parked.dto.ts';
import {
  type ParkedActionView,
  type ParkedCountsView,
  type ParkedRowView,
  parkedRowView,
} from './parked.view.ts';

/** Rows of one statement. */
const BATCH = 1_000;

/** Ends rows in a transaction; that of the first batch has the audit row of the call. */
type Act = (keys: ParkedKey[]) => Promise<unknown[]>;

/** Shows, frees and discards parked rows. */
@Injectable()
export class ParkedService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly queues: Queues,
  ) {}

  /** A page of the parked rows of a kind, by id. */
  async list(callerId: string, { kind, limit, cursor, ...given }: ParkedQuery): Promise<Page<ParkedRowView>> {
    const name = `parked ${kind}`;
    const after = cursor === undefined ? undefined : this.cursors.decodeMessage(name, callerId, cursor);
    const found = await listParked(this.db, kind, filterOf(given), limit + 1, after);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return {
      page: rows.map((row) => parkedRowView(kind, row)),
      nextCursor:
        last && found.length > limit
          ? this.cursors.encodeMessage(name, callerId, { submissionId: last.id, n: last.n ?? 0 })
          : null,
    };
  }

  /** Counts the parked rows of each kind, up to 10,000. */
  async count(): Promise<ParkedCountsView> {
    const { message_event: report, ...others } = await countParked(this.db);
    return { ...others, report };
  }

  /** Frees rows: workers start them again within seconds. @throws ApiError those of `requireLiveCaller` */
  free(caller: Caller, request: FreeRequest): Promise<ParkedActionView> {
    return this.act(request, (keys) =>
      withAuditAsLiveCaller(this.db, caller, (db) => freeParked(db, request.kind, keys)),
    );
  }

  /**
   * Ends rows permanently; a message fails with its report, which is pushed.
   *
   * @throws ApiError those of `requireLiveCaller`
   */
  discard(caller: Caller, request: DiscardRequest): Promise<ParkedActionView> {
    const { kind, reason } = request;
    const actor = actorOf(caller);
    return this.act(request, async (keys) => {
      const discarded = await withAuditAsLiveCaller(this.db, caller, (db) =>
        discardParked(db, kind, keys, { reason, actor }),
      );
      const reportIds = discarded.flatMap(({ reportId }) => reportId ?? []);
      this.queues.get(REPORT_QUEUES.OTHER).enqueue(reportIds);
      return discarded;
    });
  }

  private async act(request: FreeRequest, act: Act): Promise<ParkedActionView> {
    const { kind, ids, dryRun = false } = request;
    const rows = ids
      ? await this.actOnIds(request, [...new Set(ids)].map(keyOf), act)
      : await this.actOnMatching(request, act);
    return { kind, rows, dryRun };
  }

  private async actOnIds({ kind, dryRun }: FreeRequest, keys: ParkedKey[], act: Act): Promise<number> {
    if (!dryRun) return (await act(keys)).length;
    const wanted = new Set(keys.map(({ id, n }) => `${id}:${n}`));
    let count = 0;
    await this.eachBatch(kind, filterOf({}), MAX_ROWS, async (rows) => {
      count += rows.filter(({ id, n }) => wanted.has(`${id}:${n ?? 0}`)).length;
    });
    return count;
  }

  private async actOnMatching(request: FreeRequest, act: Act): Promise<number> {
    let count = 0;
    const { kind, limit = MAX_ROWS } = request;
    await this.eachBatch(kind, filterOf(request), limit, async (rows) => {
      const keys = rows.map(({ id, n }) => ({ id, n: n ?? 0 }));
      count += request.dryRun ? keys.length : (await act(keys)).length;
    });
    return count;
  }

  /** Reads the matching rows in batches, by id. */
  private async eachBatch(
    kind: ParkedKind,
    filter: ParkedFilter,
    limit: number,
    work: (rows: ParkedRow[]) => Promise<void>,
  ): Promise<void> {
    let after: { submissionId: string; n: number } | undefined;
    for (let read = 0; read < limit; read += BATCH) {
      const size = Math.min(BATCH, limit - read);
      const rows = await listParked(this.db, kind, filter, size, after);
      await work(rows);
      const last = rows.at(-1);
      if (!last || rows.length < size) return;
      after = { submissionId: last.id, n: last.n ?? 0 };
    }
  }
}

function filterOf({ accountId, gateway }: Partial<Pick<FreeRequest, 'accountId' | 'gateway'>>): ParkedFilter {
  return { accountId: accountId ?? null, gateway: gateway ?? null };
}

/** The rules of the request let only well-formed ids pass. */
function keyOf(id: string): ParkedKey {
  const message = parseMessageId(id);
  return message ? { id: message.submissionId, n: message.n } : { id, n: 0 };
}
