import { isUserId } from '@signalbox/domain/chat/user-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { GatewayInbound } from '../callback-format.ts';
import { MAX_GATEWAY_ID } from '../gateway-ids.ts';
import { type JsonObject, asObject, instantOf, textOf } from './json.ts';
import { storable } from '../storable.ts';

/** Kinds whose content is the member of their name. */
const KINDS = new Set<unknown>([
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'button',
  'reaction',
  'order',
  'system',
]);

const MAX_CONTENT = 65_536;

/**
 * Reads one inbound message. Its writer has a number, a user id, or both.
 *
 * @param to the business number
 * @param userIds the user ids of its change by number
 */
export function readInbound(
  entry: unknown,
  to: string,
  userIds: ReadonlyMap<unknown, string>,
): GatewayInbound | undefined {
  const given = asObject(entry);
  if (!given) return undefined;
  const { id, context, timestamp, type, from_user_id } = given;
  const userId = replacedUserId(given) ?? userIdOf(from_user_id) ?? userIds.get(given['from']);
  const from = numberOf(given['from']) ?? null;
  if (from === null && userId === undefined) return undefined;
  if (typeof id !== 'string' || id === '' || id.length > MAX_GATEWAY_ID) return undefined;
  const kind = KINDS.has(type) ? String(type) : 'unsupported';
  const repliedTo = textOf(asObject(context)?.['id']) ?? reactedTo(given);
  return {
    gatewayMessageId: id,
    from,
    ...(userId !== undefined && { userId }),
    to,
    kind,
    content: contentOf(kind, given),
    replyTo: null,
    ...(repliedTo !== undefined && { replyToGatewayId: repliedTo.slice(0, MAX_GATEWAY_ID) }),
    sentAt: instantOf(timestamp),
  };
}

/** Digits with the characters that people write between them; a user id has letters. */
const NUMBER = /^[\d\s+().-]{1,39}$/;

/** Returns the digits of a number, whatever separates them. */
export function numberOf(value: unknown): string | undefined {
  return typeof value === 'string' && NUMBER.test(value) ? parseMsisdn(value.replace(/\D/g, '')) : undefined;
}

/** Returns a user id; undefined for anything else. */
export function userIdOf(value: unknown): string | undefined {
  return typeof value === 'string' && isUserId(value) ? value : undefined;
}

/** A system message about a new user id is from the old one. */
function replacedUserId({ system }: JsonObject): string | undefined {
  return userIdOf(asObject(system)?.['previous_user_id']);
}

/** Maps the numbers of the `contacts` of a change to their user ids. */
export function userIdsOf(contacts: unknown[]): Map<unknown, string> {
  const userIds = new Map<unknown, string>();
  for (const contact of contacts.map(asObject)) {
    const userId = userIdOf(contact?.['user_id']);
    if (userId !== undefined) userIds.set(contact?.['wa_id'], userId);
  }
  return userIds;
}

function reactedTo({ reaction }: JsonObject): string | undefined {
  return textOf(asObject(reaction)?.['message_id']);
}

/** Is true for a kind whose content arrives under its name. */
export function isKnownKind(type: unknown): boolean {
  return KINDS.has(type) || type === 'unsupported';
}

/** Keeps the member that holds the content; of an unknown kind its name, its content and the reason. */
function contentOf(kind: string, given: JsonObject): Record<string, unknown> {
  const member = kind === 'unsupported' ? unsupportedOf(given) : (given[kind] ?? {});
  const kept = storable(member);
  return { [kind]: JSON.stringify(kept).length <= MAX_CONTENT ? kept : {} };
}

/** An unknown kind has its content under its name; Meta explains one that it does not support under `unsupported`. */
function unsupportedOf({ type, errors, unsupported, ...given }: JsonObject): JsonObject {
  const content = typeof type === 'string' && Object.hasOwn(given, type) ? given[type] : unsupported;
  return { type, errors, ...(content !== undefined && { content }) };
}
