import { randomUUIDv7 } from 'node:crypto';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import {
  type InboundKey,
  type NewSegment,
  type StoredSegment,
  closeInboundSets,
  findOpenSet,
  findRepeatedSet,
  insertInboundSegment,
  lockInboundKey,
} from '@signalbox/database/gateways/inbound-segments';
import type { CompleteInbound, InboundSegment, InboundSegments } from '@signalbox/gateways/inbound-segments';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';
import { joinSegments } from './join-segments.ts';

const LIMITS = { maxBatch: 100, maxWaiting: 50_000 };

/** Characters of a segment that are stored, as many as of a whole message. */
const MAX_TEXT = 4_096;

/** A segment, and the gateway that it came by. */
export interface GatewaySegment {
  gateway: string;
  segment: InboundSegment;
}

/**
 * Joins the segments of inbound messages in Postgres, across processes and in any order. Segments that arrive while
 * some are being stored share the next transaction, so that a gateway takes one connection, however many it delivers.
 * A repeat returns the same message, since the process may have died before it stored the message.
 */
export class StoredInboundSegments implements InboundSegments {
  private readonly commit: GroupCommit<GatewaySegment, CompleteInbound | undefined>;

  /** @param durable a database whose commits wait for the disk */
  constructor(private readonly durable: EntityManager) {
    this.commit = new GroupCommit(
      (segments) => durable.transaction((db) => addInboundSegments(db, segments)),
      { ...LIMITS, isItemFault: isRefusedValue },
    );
  }

  /** @throws OverloadedError or the error of the database; the gateway repeats the segment later */
  add(gateway: string, segment: InboundSegment): Promise<CompleteInbound | undefined> {
    return this.commit.add({ gateway, segment });
  }

  async end({ gatewayMessageId }: CompleteInbound): Promise<void> {
    await closeInboundSets(this.durable, [gatewayMessageId]);
  }
}

/**
 * Stores segments, and returns for each the message that it completes, whose set the caller closes once the message is
 * stored. Runs in a transaction, which keeps other segments of these messages waiting.
 */
export async function addInboundSegments(
  db: EntityManager,
  segments: readonly GatewaySegment[],
): Promise<(CompleteInbound | undefined)[]> {
  const stored = segments.map(toStored);
  const complete = new Map<NewSegment, CompleteInbound | undefined>();
  for (const each of inLockOrder(stored)) complete.set(each, await addSegment(db, each));
  return stored.map((each) => complete.get(each));
}

/** Sorts what is locked by key, so that two processes that lock the same keys lock them in one order. */
export function inLockOrder<Key extends InboundKey>(keys: readonly Key[]): Key[] {
  const orderOf = ({ gateway, sender, recipient, referenceBits, reference, total }: InboundKey): string =>
    JSON.stringify([gateway, sender, recipient, referenceBits, reference, total]);
  return keys
    .map((key) => ({ key, order: orderOf(key) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)))
    .map(({ key }) => key);
}

async function addSegment(db: EntityManager, segment: NewSegment): Promise<CompleteInbound | undefined> {
  await lockInboundKey(db, segment);
  const repeated = await findRepeatedSet(db, segment);
  if (repeated.length > 0) return completeOf(repeated);
  const open = segment.total > 1 ? await findOpenSet(db, segment, segment.position) : [];
  const stored = { ...segment, setId: open[0]?.setId ?? randomUUIDv7() };
  await insertInboundSegment(db, stored);
  return completeOf([...open, { ...stored, receivedAt: new Date(), closedAt: null }]);
}

function toStored({ gateway, segment }: GatewaySegment): NewSegment {
  const { from, to, referenceBits, reference, total, position, gatewayMessageId, text, sentAt } = segment;
  return {
    gateway,
    sender: storable(from),
    recipient: storable(to),
    referenceBits,
    reference,
    total,
    position,
    gatewayMessageId: storable(gatewayMessageId),
    body: Buffer.from(text.slice(0, MAX_TEXT), 'utf16le'),
    sentAt,
  };
}

function storable(text: string): string {
  return text.replaceAll('\u0000', '').slice(0, 100);
}

function completeOf(set: readonly StoredSegment[]): CompleteInbound | undefined {
  return set.length === set[0]!.total ? joinSegments(set) : undefined;
}
