import { randomUUIDv7 } from 'node:crypto';
import {
  type InboundKey,
  type StoredSegment,
  closeInboundSets,
  findInboundSegments,
  insertInboundSegment,
  lockInboundKey,
} from '@signalbox/database/gateways/inbound-segments';
import type { CompleteInbound, InboundSegment, InboundSegments } from '@signalbox/gateways/inbound-segments';
import type { EntityManager } from 'typeorm';
import { joinSegments } from './join-segments.ts';

/** Time in which the same text of the same writer is a repeat, where the gateway names no id. */
const REPEAT_MS = 120_000;

/**
 * Joins the segments of inbound messages in Postgres, across processes and in any order. A repeat returns the same
 * message, since the process may have died before it stored the message.
 */
export class StoredInboundSegments implements InboundSegments {
  /** @param durable a database whose commits wait for the disk */
  constructor(private readonly durable: EntityManager) {}

  /** @throws the error of the database; the gateway repeats the segment later */
  add(gateway: string, segment: InboundSegment): Promise<CompleteInbound | undefined> {
    return this.durable.transaction((db) => addInboundSegment(db, gateway, segment));
  }
}

/**
 * Stores a segment and returns the message that it completes. Runs in a transaction, which keeps other segments of the
 * message waiting: several are to be added in one order of their keys.
 */
export async function addInboundSegment(
  db: EntityManager,
  gateway: string,
  segment: InboundSegment,
): Promise<CompleteInbound | undefined> {
  const key = keyOf(gateway, segment);
  await lockInboundKey(db, key);
  const sets = [...Map.groupBy(await findInboundSegments(db, key), ({ setId }) => setId).values()];
  const repeated = sets.find((set) => set.some((stored) => isRepeat(stored, segment, new Date())));
  if (repeated) return completeOf(repeated);
  const open = sets.find((set) => set.every((stored) => isJoinable(stored, segment)));
  const stored = { ...key, ...toStored(segment), setId: open?.[0]?.setId ?? randomUUIDv7() };
  await insertInboundSegment(db, stored);
  const joined = [...(open ?? []), { ...stored, receivedAt: new Date(), closedAt: null }];
  const complete = completeOf(joined);
  if (complete) await closeInboundSets(db, [stored.setId]);
  return complete;
}

function keyOf(gateway: string, segment: InboundSegment): InboundKey {
  const { from, to, referenceBits, reference, total } = segment;
  return { gateway, sender: storable(from), recipient: storable(to), referenceBits, reference, total };
}

function toStored(segment: InboundSegment) {
  const { position, gatewayMessageId, text, sentAt } = segment;
  return {
    position,
    gatewayMessageId: storable(gatewayMessageId),
    body: Buffer.from(text, 'utf16le'),
    sentAt,
  };
}

function storable(text: string): string {
  return text.replaceAll('\u0000', '').slice(0, 100);
}

/** Equal references alone say little: phones use them again. */
function isRepeat(stored: StoredSegment, segment: InboundSegment, now: Date): boolean {
  if (stored.position !== segment.position || !isSameText(stored, segment)) return false;
  const id = storable(segment.gatewayMessageId);
  if (id !== '') return stored.gatewayMessageId === id;
  return stored.closedAt === null || now.getTime() - stored.receivedAt.getTime() < REPEAT_MS;
}

function isSameText(stored: StoredSegment, { text }: InboundSegment): boolean {
  return stored.body.equals(Buffer.from(text, 'utf16le'));
}

/** A set that has another text in this position is another message. */
function isJoinable(stored: StoredSegment, { position }: InboundSegment): boolean {
  return stored.closedAt === null && stored.position !== position;
}

function completeOf(set: readonly StoredSegment[]): CompleteInbound | undefined {
  return set.length === set[0]!.total ? joinSegments(set) : undefined;
}
