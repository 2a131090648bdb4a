import { isRefusedValue } from '@signalbox/database/core/refused-value';
import {
  type NewMessageId,
  type StoredMessageId,
  insertMessageIds,
  lockMessageIds,
  lockSegments,
  updateMessageIds,
} from '@signalbox/database/gateways/message-ids';
import { type MessageKey, messageId, messageKeyOf } from '@signalbox/domain/message-id';
import { toStorableText } from '@signalbox/domain/sanitize';
import type {
  GatewayIds,
  GatewayMessageId,
  MessageSegments,
  SegmentReport,
} from '@signalbox/gateways/gateway-ids';
import { bisect } from '@signalbox/runtime/bisect';
import { LruMap } from '@signalbox/runtime/lru-map';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';
import { type Match, type Reported, matchReports } from './match-reports.ts';
import { RecentIds } from './recent-ids.ts';
import { chooseRow, isFinal, keyOf, messageOf, segmentsOf, withReport, withWait } from './segment-reports.ts';

const LIMITS = { maxBatch: 1_000, maxWaiting: 100_000 };

/** Minimum number of messages whose final report is remembered, until the table of messages shows it. */
const MIN_REMEMBERED = 10_000;

/** Options of the map. */
export interface DurableGatewayIdsOptions {
  /** Respells a reported id that no row has, by the gateway's rule; undefined when it has none. */
  respell?: (gateway: string, id: string) => Promise<string | undefined>;
  /** Is called for each row that the database refuses, which is dropped. */
  onRefused?: (row: NewMessageId, error: unknown) => void;
}

/**
 * The map from gateways' ids to messages, in Postgres. Calls that arrive while a statement is in flight share the next.
 * A report about a message of one segment whose id is unique writes nothing. Shortly after this process submitted the
 * message, it costs no lookup either.
 *
 * When several segments share an id, a report is about the oldest one to its recipient that has no final report yet.
 * When all have one it matches nothing: it may have come before the row of its segment.
 */
export class DurableGatewayIds implements GatewayIds {
  private readonly inserts: GroupCommit<NewMessageId[], undefined>;
  private readonly reports: GroupCommit<Reported[], (MessageSegments | undefined)[]>;
  private readonly recent = new RecentIds();
  private readonly inserting = new Set<Promise<unknown>>();
  /** The number of inserts begun so far. */
  private begun = 0;
  private readonly ended = new LruMap<string, true>(MIN_REMEMBERED);

  /** @param durable a database whose commits wait for the disk */
  constructor(
    private readonly durable: EntityManager,
    private readonly options: DurableGatewayIdsOptions = {},
  ) {
    const insert = async (batches: NewMessageId[][]): Promise<undefined[]> => {
      await this.storeAll(batches.flat());
      return batches.map(() => undefined);
    };
    this.inserts = new GroupCommit(insert, { ...LIMITS, weigh: lengthOf });
    this.reports = new GroupCommit((batches: Reported[][]) => this.flushAll(batches), {
      ...LIMITS,
      weigh: lengthOf,
    });
  }

  /** @throws OverloadedError or the error of the database: the ids are not stored, the messages `unconfirmed` */
  async insert(gateway: string, rows: GatewayMessageId[]): Promise<void> {
    const stored: NewMessageId[] = [];
    for (const row of rows) {
      const key = messageKeyOf(row);
      if (key) stored.push(toStored(gateway, row, key));
    }
    if (stored.length === 0) return;
    const insert = this.inserts.add(stored);
    const settled = insert.catch(() => undefined);
    this.inserting.add(settled);
    this.begun += 1;
    await insert.finally(() => this.inserting.delete(settled));
  }

  /** @throws OverloadedError or the error of the database; the gateway repeats the reports later */
  async report(gateway: string, reports: SegmentReport[]): Promise<(MessageSegments | undefined)[]> {
    const found = reports.map((report) => this.reportRecent(gateway, report));
    if (!found.includes(undefined)) return found;
    const left = reports.flatMap((report, i) => (found[i] === undefined ? { gateway, report } : []));
    const others = await this.reports.add(left);
    return found.map((segments) => segments ?? others.shift());
  }

  /** Resolves when every call before is done. */
  async close(): Promise<void> {
    await Promise.all([this.inserts.close(), this.reports.close()]);
  }

  /** Drops a row that the database refuses, since a gateway would repeat its insert, with all others, for ever. */
  private async storeAll(rows: NewMessageId[]): Promise<void> {
    const insert = async (part: NewMessageId[]): Promise<void> => {
      const given = await insertMessageIds(this.durable, part, this.recent.newIds(part));
      this.recent.add(part, given);
    };
    for (const { item, error } of await bisect(rows, insert, isRefusedValue))
      this.options.onRefused?.(item, error);
  }

  /** Matches a report in memory. */
  private reportRecent(gateway: string, report: SegmentReport): MessageSegments | undefined {
    const row = this.recent.find(gateway, report);
    if (!row) return undefined;
    const { submissionId, n } = row;
    const id = messageId(submissionId, n);
    if (isFinal(report)) this.ended.set(id, true);
    const reports = [report.status === null ? null : report];
    return { messageId: id, key: { submissionId, n }, reports };
  }

  private async flushAll(batches: Reported[][]): Promise<(MessageSegments | undefined)[][]> {
    const segments = await this.flush(batches.flat());
    return batches.map(({ length }) => segments.splice(0, length));
  }

  /**
   * A report may come before the insert of its id is done: after the inserts in flight, and after one that ended during
   * the lookup, it is tried again, at last under the spelling of the gateway's rule.
   */
  private async flush(reported: Reported[]): Promise<(MessageSegments | undefined)[]> {
    const find = (some: readonly Reported[], spell: (each: Reported) => string) =>
      matchReports(this.durable, some, spell, (message) => this.ended.has(message));
    const endedBefore = this.begun - this.inserting.size;
    const found = await find(reported, idOf);
    const tryAgain = async (left: readonly Reported[], spell: (each: Reported) => string): Promise<void> => {
      for (const [each, match] of await find(left, spell)) found.set(each, match);
    };
    if (this.begun > endedBefore && found.size < reported.length) {
      await Promise.all(this.inserting);
      await tryAgain(without(reported, found), idOf);
    }
    const { respell } = this.options;
    if (respell && found.size < reported.length) {
      const left = without(reported, found);
      const ids = await Promise.all(
        left.map(({ gateway, report }) => respell(gateway, report.gatewayMessageId)),
      );
      const spelled = new Map(left.map((each, i) => [each, ids[i]]));
      await tryAgain(
        left.filter((each) => spelled.get(each) !== undefined),
        (each) => spelled.get(each)!,
      );
    }
    const segments = await this.record([...found.values()]);
    return reported.map((each) => segments.get(each));
  }

  /** Records the reports whose row has to remember them, and returns the segments of each report's message. */
  private async record(matches: readonly Match[]): Promise<Map<Reported, MessageSegments>> {
    const segments = new Map<Reported, MessageSegments>();
    const stored: Match[] = [];
    for (const match of matches) {
      const { reported, rows, isShared } = match;
      if (isShared || rows[0]!.segments > 1) stored.push(match);
      else segments.set(reported, this.remember(rows[0]!, reported));
    }
    if (stored.length > 0)
      await this.durable.transaction(async (db) => {
        for (const [reported, own] of await store(db, stored)) segments.set(reported, own);
      });
    return segments;
  }

  /**
   * Remembers the end of the message in memory, because its row is not written: a later message may get the same id.
   */
  private remember(row: StoredMessageId, { report }: Reported): MessageSegments {
    const reported = withReport(row, report);
    if (isFinal(reported)) this.ended.set(messageOf(row), true);
    return segmentsOf([reported]);
  }
}

/**
 * Locks the messages of reports, applies the reports in order and stores the rows that they change. A report of a
 * shared id is left out of the result when all its segments have a final report by now.
 */
async function store(db: EntityManager, matches: readonly Match[]): Promise<Map<Reported, MessageSegments>> {
  const rows = await lockRows(db, matches);
  const before = new Map(rows);
  const chosen = new Map<Reported, string>();
  for (const { reported, rows: equal, isShared } of matches) {
    const fresh = equal.map((each) => rows.get(keyOf(each))!);
    const row = chooseRow(isShared ? fresh.filter((each) => !isFinal(each)) : fresh);
    if (!row) continue;
    rows.set(keyOf(row), withReport(row, reported.report));
    chosen.set(reported, messageOf(row));
  }
  const messages = Map.groupBy(rows.values(), messageOf);
  for (const message of new Set(chosen.values()))
    for (const row of withWait(messages.get(message)!, new Date())) rows.set(keyOf(row), row);
  const changed = [...rows].filter(([key, row]) => isChanged(before.get(key)!, row)).map(([, row]) => row);
  if (changed.length > 0) await updateMessageIds(db, changed);
  const after = Map.groupBy(rows.values(), messageOf);
  return new Map(Array.from(chosen, ([reported, message]) => [reported, segmentsOf(after.get(message)!)]));
}

/** Locks the rows of matches, with all segments of their messages, and returns them by key as they are then. */
async function lockRows(db: EntityManager, matches: readonly Match[]): Promise<Map<string, StoredMessageId>> {
  const rows = new Map(matches.flatMap((match) => match.rows.map((row) => [keyOf(row), row])));
  const several = [...rows.values()].filter(({ segments }) => segments > 1);
  const single = [...rows.values()].filter(({ segments }) => segments === 1);
  const messages = new Map(several.map((row) => [messageOf(row), row]));
  for (const row of messages.size > 0 ? await lockSegments(db, [...messages.values()]) : [])
    rows.set(keyOf(row), row);
  for (const row of single.length > 0 ? await lockMessageIds(db, single) : []) rows.set(keyOf(row), row);
  return rows;
}

function isChanged(before: StoredMessageId, after: StoredMessageId): boolean {
  return before.status !== after.status || before.waitingSince?.getTime() !== after.waitingSince?.getTime();
}

function toStored(gateway: string, row: GatewayMessageId, { submissionId, n }: MessageKey): NewMessageId {
  const { segment, segments, recipient } = row;
  const gatewayMessageId = toStorableText(row.gatewayMessageId);
  return { gateway, gatewayMessageId, submissionId, n, segment, segments, recipient };
}

function lengthOf({ length }: readonly unknown[]): number {
  return length;
}

function idOf({ report }: Reported): string {
  return report.gatewayMessageId;
}

function without(reported: readonly Reported[], found: ReadonlyMap<Reported, unknown>): Reported[] {
  return reported.filter((each) => !found.has(each));
}
