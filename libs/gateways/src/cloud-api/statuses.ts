import type { ReportedStatus } from '@signalbox/domain/message-status';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { CLOUD_API_ERRORS } from '../errors/cloud-api.ts';
import { errCodeOf } from '../errors/error-table.ts';
import { readGraphError } from './error.ts';
import { type JsonObject, asObject, idOf, instantOf, listOf, textOf } from './json.ts';
import { storable } from '../storable.ts';

/** A listened-to voice message counts as read. */
const STATUSES: ReadonlyMap<unknown, ReportedStatus> = new Map<unknown, ReportedStatus>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['played', 'READ'],
  ['failed', 'FAILED'],
]);

/** Names of statuses that move no message. */
const IGNORED = new Set<unknown>(['deleted', 'warning', 'accepted', 'held_for_quality_assessment']);

const DESCRIPTIONS: Readonly<Record<ReportedStatus, string>> = {
  SENT: 'Sent by WhatsApp',
  DELIVERED: 'Delivered to the phone',
  READ: 'Read by the recipient',
  FAILED: 'Failed',
};

const MAX_DETAILS = 2_000;

/**
 * Reads one status of a message. Our message id comes back in it.
 *
 * @returns undefined when it cannot be read, 'ignored' when it moves no message, 'foreign' when the message was not
 * sent
 *   from here, and the word of an unknown status
 */
export function readStatus(
  entry: unknown,
): GatewayReport | 'ignored' | 'foreign' | { unknown: string } | undefined {
  const given = asObject(entry);
  if (!given) return undefined;
  const status = STATUSES.get(given['status']);
  if (status === undefined) return readWithoutEffect(given['status']);
  const messageId = given['biz_opaque_callback_data'];
  if (messageId === undefined) return 'foreign';
  if (typeof messageId !== 'string') return undefined;
  const error = status === 'FAILED' ? readGraphError(listOf(given['errors'])[0]) : undefined;
  const details = detailsOf(given);
  return {
    messageId,
    status,
    errCode: status === 'FAILED' ? errCodeOf(CLOUD_API_ERRORS, error?.code) : '000',
    description: error?.description ?? DESCRIPTIONS[status],
    ...(error?.code !== undefined && { gatewayCode: String(error.code) }),
    ...(details && { details }),
    reportedAt: instantOf(given['timestamp']),
  };
}

function readWithoutEffect(word: unknown): 'ignored' | { unknown: string } | undefined {
  if (IGNORED.has(word)) return 'ignored';
  return typeof word === 'string' ? { unknown: word } : undefined;
}

/** Key by which a repeated status is recognized; undefined for one without an id or a word. */
export function statusKey(entry: unknown): string | undefined {
  const { id, status } = asObject(entry) ?? {};
  const [wamid, word] = [idOf(id), textOf(status)];
  return wamid === undefined || word === undefined ? undefined : `${wamid} ${word}`;
}

/** Pricing and errors as WhatsApp states them; undefined when there are none, or when they are too large. */
function detailsOf({ pricing, errors }: JsonObject): Record<string, unknown> | undefined {
  const stated = { pricing: asObject(pricing), errors: Array.isArray(errors) ? errors : undefined };
  const details = storable(stated) as Record<string, unknown>;
  if (Object.keys(details).length === 0) return undefined;
  return JSON.stringify(details).length <= MAX_DETAILS ? details : undefined;
}
