import {
  MAX_EQUAL_IDS,
  type StoredMessageId,
  findMessageIds,
  findSharedIds,
  listSettled,
} from '@signalbox/database/gateways/message-ids';
import { timeOf } from '@signalbox/domain/id-time';
import { messageId } from '@signalbox/domain/message-id';
import { toStorableText } from '@signalbox/domain/sanitize';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import type { EntityManager } from 'typeorm';
import { isFinal, keyOf, messageOf, rowsOfRecipient } from './segment-reports.ts';

/** A report as it came, and its gateway. */
export interface Reported {
  gateway: string;
  report: SegmentReport;
}

/** A report, and the rows that it may be about. */
export interface Match {
  reported: Reported;
  rows: StoredMessageId[];
  /** Several segments have the id. */
  isShared: boolean;
}

interface Wanted {
  gateway: string;
  gatewayMessageId: string;
}

/** Difference allowed between the clocks of an api, which names a message, and of the database. */
const SKEW_MS = 5_000;

/**
 * Finds the rows that reports may be about, without those of other recipients. When several segments share an id, only
 * rows without a final report count. A report that names no recipient then matches only if all of them have one number.
 *
 * @param spell the id of a report, as its gateway may have answered it
 * @param hasEnded true for a message whose final report was stored a moment ago
 * @returns the reports that have any
 */
export async function matchReports(
  db: EntityManager,
  reported: readonly Reported[],
  spell: (reported: Reported) => string,
  hasEnded: (messageId: string) => boolean,
): Promise<Map<Reported, Match>> {
  if (reported.length === 0) return new Map();
  const wanted = new Map(
    reported.map((each) => [each, { gateway: each.gateway, gatewayMessageId: toStorableText(spell(each)) }]),
  );
  const matches = await findRows(db, wanted);
  const settled = await findSettled(
    db,
    matches.filter(({ isShared }) => isShared),
  );
  return new Map(
    matches
      .map((match) =>
        match.isShared ? openOf(match, (message) => settled.has(message) || hasEnded(message)) : match,
      )
      .filter(({ rows }) => rows.length > 0)
      .map((match) => [match.reported, match]),
  );
}

async function findRows(db: EntityManager, wanted: ReadonlyMap<Reported, Wanted>): Promise<Match[]> {
  const ids = new Map(Array.from(wanted.values(), (id) => [idKey(id), id]));
  const equal = Map.groupBy(await findMessageIds(db, [...ids.values()]), idKey);
  const crowded = [...wanted].flatMap(([{ report }, id]) =>
    report.recipient !== null && (equal.get(idKey(id))?.length ?? 0) >= MAX_EQUAL_IDS
      ? [{ ...id, recipient: report.recipient }]
      : [],
  );
  const own = crowded.length > 0 ? await findOwn(db, crowded) : undefined;
  return Array.from(wanted, ([reported, id]) => {
    const all = equal.get(idKey(id)) ?? [];
    const ofRecipient = own?.get(recipientKey(id, reported.report.recipient)) ?? [];
    const rows = new Map([...ofRecipient, ...all].map((row) => [keyOf(row), row]));
    return {
      reported,
      rows: rowsOfRecipient([...rows.values()], reported.report),
      isShared: id.gatewayMessageId === '' || all.length > 1,
    };
  });
}

async function findOwn(
  db: EntityManager,
  crowded: readonly (Wanted & { recipient: string })[],
): Promise<Map<string, StoredMessageId[]>> {
  const unique = new Map(crowded.map((each) => [recipientKey(each, each.recipient), each]));
  const rows = await findSharedIds(db, [...unique.values()]);
  return Map.groupBy(rows, (row) => recipientKey(row, row.recipient));
}

/** Finds the messages among the rows that need no report any more, whatever the map says. */
async function findSettled(db: EntityManager, matches: readonly Match[]): Promise<ReadonlySet<string>> {
  const messages = new Map(matches.flatMap(({ rows }) => rows.map((row) => [messageOf(row), row])));
  if (messages.size === 0) return new Set();
  const settled = await listSettled(db, [...messages.values()]);
  return new Set(settled.map(({ submissionId, n }) => messageId(submissionId, n)));
}

function openOf(match: Match, isSettled: (messageId: string) => boolean): Match {
  const { recipient, receivedAt } = match.reported.report;
  const rows = match.rows.filter(
    (row) => !isFinal(row) && !isSettled(messageOf(row)) && !isYounger(row, receivedAt),
  );
  const isAnyones = recipient === null && new Set(rows.map((row) => row.recipient)).size > 1;
  return { ...match, rows: isAnyones ? [] : rows };
}

function isYounger({ submissionId }: StoredMessageId, at: Date | undefined): boolean {
  return at !== undefined && timeOf(submissionId).getTime() > at.getTime() + SKEW_MS;
}

function idKey({ gateway, gatewayMessageId }: Wanted): string {
  return `${gateway} ${gatewayMessageId}`;
}

function recipientKey(id: Wanted, recipient: string | null): string {
  return `${recipient} ${idKey(id)}`;
}
