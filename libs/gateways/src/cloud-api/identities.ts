import type { IdentityNotice } from '../provider-changes.ts';
import { numberOf, userIdOf } from './inbound.ts';
import { asObject } from './json.ts';

/** System messages about a person who has another number or user id now. */
const REPLACEMENTS: ReadonlySet<unknown> = new Set([
  'user_changed_number',
  'user_changed_user_id',
  'customer_changed_number',
]);

/** Reads the number and the user id of a recipient; nothing unless a status shows both. */
export function readRecipient(status: unknown, sender: string): IdentityNotice[] {
  const given = asObject(status) ?? {};
  const [number, userId] = [numberOf(given['recipient_id']), userIdOf(given['recipient_user_id'])];
  return number === undefined || userId === undefined ? [] : [{ sender, number, userId }];
}

/**
 * Reads a system message about a person who has another number, another user id, or both. Each identity from before
 * makes a notice. Without the new number, none is known, since the old one may belong to somebody else soon.
 */
export function readReplacement(message: unknown, sender: string): IdentityNotice[] {
  const given = asObject(message) ?? {};
  const system = asObject(given['system']) ?? {};
  if (given['type'] !== 'system' || !REPLACEMENTS.has(system['type'])) return [];
  const [number, userId] = [numberOf(system['wa_id']), userIdOf(system['user_id'])];
  const current = {
    sender,
    ...(number !== undefined && { number }),
    ...(userId !== undefined && { userId }),
  };
  const before = [
    numberOf(given['from']),
    userIdOf(given['from_user_id']),
    userIdOf(system['previous_user_id']),
  ];
  const previous = new Set(before.filter((each) => each !== undefined && each !== number && each !== userId));
  return [...previous].map((each) => ({ ...current, previous: each! }));
}
