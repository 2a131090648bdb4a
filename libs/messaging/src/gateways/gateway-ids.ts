import {
  MAX_EQUAL_IDS,
  type NewMessageId,
  type StoredMessageId,
  findMessageIds,
  findSharedIds,
  insertMessageIds,
  lockSegments,
  updateMessageIds,
} from '@signalbox/database/gateways/message-ids';
import { messageId, parseMessageId } from '@signalbox/domain/message-id';
import { toStorableText } from '@signalbox/domain/sanitize';
import type {
  GatewayIds,
  GatewayMessageId,
  MessageSegments,
  SegmentReport,
} from '@signalbox/gateways/gateway-ids';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';
import { chooseRow, keyOf, rowsOfRecipient, segmentsOf, withReport, withWait } from './segment-reports.ts';

const MAX_BATCH = 1_000;
const MAX_WAITING = 100_000;

/** Options of the map. */
export interface DurableGatewayIdsOptions {
  /** Called with the ids of a gateway after they are on disk, so that early reports of them are tried again. */
  onInserted?: (gateway: string, ids: string[]) => Promise<unknown>;
  /** Respells a reported id that no row has, by the gateway's rule; undefined when it has none. */
  respell?: (gateway: string, id: string) => Promise<string | undefined>;
}

interface Reported {
  gateway: string;
  report: SegmentReport;
}

/** A report, and the rows that it may be about. */
interface Match {
  reported: Reported;
  rows: StoredMessageId[];
}

/**
 * The map from gateways' ids to messages, in Postgres. Calls that arrive while a statement is in flight share the next.
 * Reports of a message with one segment and an id that no other has cost one lookup and write nothing.
 */
export class DurableGatewayIds implements GatewayIds {
  private readonly inserts: GroupCommit<NewMessageId[], undefined>;
  private readonly reports: GroupCommit<Reported, MessageSegments | undefined>;
  private readonly inserting = new Set<Promise<unknown>>();

  /** @param durable a database whose commits wait for the disk */
  constructor(
    private readonly durable: EntityManager,
    private readonly options: DurableGatewayIdsOptions = {},
  ) {
    const insert = async (batches: NewMessageId[][]): Promise<undefined[]> => {
      await insertMessageIds(this.durable, batches.flat());
      return batches.map(() => undefined);
    };
    const weigh = (rows: NewMessageId[]): number => rows.length;
    this.inserts = new GroupCommit(insert, { maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING, weigh });
    this.reports = new GroupCommit((reported) => this.flush(reported), {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
    });
  }

  /** @throws OverloadedError or the error of the database: the ids are not stored, the messages `unconfirmed` */
  async insert(gateway: string, rows: GatewayMessageId[]): Promise<void> {
    const stored = rows.flatMap((row) => toStored(gateway, row));
    if (stored.length === 0) return;
    const insert = this.inserts.add(stored);
    const settled = insert.catch(() => undefined);
    this.inserting.add(settled);
    await insert.finally(() => this.inserting.delete(settled));
    await this.options.onInserted?.(
      gateway,
      stored.map(({ gatewayMessageId }) => gatewayMessageId),
    );
  }

  /** @throws OverloadedError or the error of the database; the gateway repeats the reports later */
  report(gateway: string, reports: SegmentReport[]): Promise<(MessageSegments | undefined)[]> {
    return Promise.all(reports.map((report) => this.reports.add({ gateway, report })));
  }

  /** Resolves when every call before is done. */
  async close(): Promise<void> {
    await Promise.all([this.inserts.close(), this.reports.close()]);
  }

  /**
   * A report may come before the insert of its id is done: the inserts in flight are waited for, and it is tried again,
   * at last under the spelling of the gateway's rule.
   */
  private async flush(reported: Reported[]): Promise<(MessageSegments | undefined)[]> {
    const found = new Map<Reported, StoredMessageId[]>();
    await this.match(reported, found, idOf);
    if (this.inserting.size > 0 && found.size < reported.length) {
      await Promise.all(this.inserting);
      await this.match(without(reported, found), found, idOf);
    }
    const { respell } = this.options;
    if (respell && found.size < reported.length) {
      const left = without(reported, found);
      const ids = await Promise.all(
        left.map(({ gateway, report }) => respell(gateway, report.gatewayMessageId)),
      );
      const spelled = new Map(left.map((each, i) => [each, ids[i]]));
      await this.match(
        left.filter((each) => spelled.get(each) !== undefined),
        found,
        (each) => spelled.get(each)!,
      );
    }
    const segments = await this.record(Array.from(found, ([each, rows]) => ({ reported: each, rows })));
    return reported.map((each) => segments.get(each));
  }

  /** Adds the rows of reports to `found`, of those that have any. */
  private async match(
    reported: readonly Reported[],
    found: Map<Reported, StoredMessageId[]>,
    spell: (reported: Reported) => string,
  ): Promise<void> {
    if (reported.length === 0) return;
    const wanted = reported.map((each) => ({
      gateway: each.gateway,
      gatewayMessageId: toStorableText(spell(each)),
    }));
    const unique = new Map(wanted.map((id) => [wantedKey(id), id]));
    const rows = Map.groupBy(await findMessageIds(this.durable, [...unique.values()]), wantedKey);
    for (const [i, each] of reported.entries()) {
      const equal = rows.get(wantedKey(wanted[i]!)) ?? [];
      const own = equal.length < MAX_EQUAL_IDS ? equal : await this.findShared(wanted[i]!, each);
      const fitting = rowsOfRecipient(own, each.report);
      if (fitting.length > 0) found.set(each, fitting);
    }
  }

  /** Finds the rows of an id that a gateway gives to all messages. */
  private findShared(
    id: { gateway: string; gatewayMessageId: string },
    { report }: Reported,
  ): Promise<StoredMessageId[]> {
    if (report.recipient === null) return Promise.resolve([]);
    return findSharedIds(this.durable, [{ ...id, recipient: report.recipient }]);
  }

  /** Records the reports whose row has to remember them, and returns the segments of each report's message. */
  private async record(matches: readonly Match[]): Promise<Map<Reported, MessageSegments>> {
    const segments = new Map<Reported, MessageSegments>();
    const kept: Match[] = [];
    for (const match of matches) {
      const { reported, rows } = match;
      if (rows.length > 1 || rows[0]!.segments > 1) kept.push(match);
      else segments.set(reported, segmentsOf([withReport(rows[0]!, reported.report)]));
    }
    if (kept.length > 0)
      await this.durable.transaction(async (db) => {
        for (const [reported, own] of await keep(db, kept)) segments.set(reported, own);
      });
    return segments;
  }
}

/** Locks the messages of reports, applies the reports in order and stores the rows that they change. */
async function keep(db: EntityManager, matches: readonly Match[]): Promise<Map<Reported, MessageSegments>> {
  const rows = new Map(matches.flatMap((match) => match.rows.map((row) => [keyOf(row), row])));
  const joined = new Map(
    [...rows.values()].filter((row) => row.segments > 1).map((row) => [messageOf(row), row]),
  );
  for (const row of joined.size > 0 ? await lockSegments(db, [...joined.values()]) : [])
    rows.set(keyOf(row), row);
  const before = new Map(rows);
  const chosen = matches.map(({ reported, rows: equal }) => {
    const row = chooseRow(equal.map((each) => rows.get(keyOf(each))!));
    rows.set(keyOf(row), withReport(row, reported.report));
    return messageOf(row);
  });
  const messages = Map.groupBy(rows.values(), messageOf);
  for (const message of new Set(chosen))
    for (const row of withWait(messages.get(message)!, new Date())) rows.set(keyOf(row), row);
  const changed = [...rows].filter(([key, row]) => isChanged(before.get(key)!, row)).map(([, row]) => row);
  if (changed.length > 0) await updateMessageIds(db, changed);
  const after = Map.groupBy(rows.values(), messageOf);
  return new Map(matches.map(({ reported }, i) => [reported, segmentsOf(after.get(chosen[i]!)!)]));
}

function isChanged(before: StoredMessageId, after: StoredMessageId): boolean {
  return before.status !== after.status || before.waitingSince?.getTime() !== after.waitingSince?.getTime();
}

function toStored(gateway: string, row: GatewayMessageId): NewMessageId[] {
  const key = parseMessageId(row.messageId);
  if (!key) return [];
  const { segment, segments, recipient } = row;
  return [
    { gateway, gatewayMessageId: toStorableText(row.gatewayMessageId), ...key, segment, segments, recipient },
  ];
}

function idOf({ report }: Reported): string {
  return report.gatewayMessageId;
}

function without(reported: readonly Reported[], found: ReadonlyMap<Reported, unknown>): Reported[] {
  return reported.filter((each) => !found.has(each));
}

function wantedKey({ gateway, gatewayMessageId }: { gateway: string; gatewayMessageId: string }): string {
  return `${gateway} ${gatewayMessageId}`;
}

function messageOf({ submissionId, n }: StoredMessageId): string {
  return messageId(submissionId, n);
}
