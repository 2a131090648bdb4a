import { counted } from '../http/answer.ts';
import { isObject } from '@signalbox/domain/is-object';
import { maskNumbers } from '@signalbox/domain/msisdn';

/** Fields whose text is no secret, no number and no content. */
const PLAIN = new Set([
  'action',
  'category',
  'channel',
  'decision',
  'event',
  'kind',
  'language',
  'lane',
  'method',
  'mode',
  'name',
  'provider',
  'role',
  'sessionWindow',
  'status',
  'type',
]);

const MAX_TEXT = 200;
const MAX_FIELDS = 50;

/** Longer numbers may be phone numbers, shorter ones codes where the field is named so. */
const MAX_NUMBER = 999_999;
const SECRET_NAME = /code|otp|pin|password|secret|token/i;

/**
 * The fields of a body as the audit log shows them: words, numbers and flags as they are, the size of lists, and `…`
 * for any other text, which may be a secret, a phone number or a message.
 */
export function auditedFields(body: unknown): object | null {
  if (!isObject(body)) return null;
  const fields = Object.entries(body).slice(0, MAX_FIELDS);
  return Object.fromEntries(fields.map(([name, value]) => [shownText(name), shown(name, value)]));
}

/** The beginning of a text. A character that is cut in two would be refused by the database, and the row lost. */
function shownText(text: string): string {
  return maskNumbers(text.slice(0, MAX_TEXT).toWellFormed());
}

function shown(name: string, value: unknown): unknown {
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Math.abs(value) > MAX_NUMBER || SECRET_NAME.test(name) ? '…' : value;
  if (Array.isArray(value)) return counted(value.length, 'item');
  if (typeof value !== 'string') return '…';
  return PLAIN.has(name) ? shownText(value) : '…';
}
