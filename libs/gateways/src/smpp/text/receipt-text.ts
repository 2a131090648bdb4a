import { RE2JS } from 're2js';
import { decodeUcs2 } from './ucs2.ts';
import { type ShortMessage, TAG, findTlv } from '../pdu.ts';

/** Characters of a receipt that are read; patterns of settings see no more. */
const MAX_TEXT = 1_000;

/** The fields of a receipt's text, as they are written; absent or empty fields are undefined. */
export interface ReceiptFields {
  id?: string | undefined;
  stat?: string | undefined;
  err?: string | undefined;
  /** Done date. */
  done?: string | undefined;
  /** Number that the message was sent to. */
  destination?: string | undefined;
}

/**
 * Returns the text of a receipt, from short_message or message_payload and without a header. `data_coding` is not
 * believed: SMSCs mark ASCII as UCS-2 or as binary.
 */
export function receiptTextOf(pdu: ShortMessage): string {
  const bytes = pdu.shortMessage.length > 0 ? pdu.shortMessage : findTlv(pdu, TAG.messagePayload);
  if (bytes === undefined) return '';
  const body = withoutHeader(bytes, pdu.esmClass).subarray(0, MAX_TEXT * 2);
  return (isUcs2(body) ? decodeUcs2(body) : body.toString('latin1')).slice(0, MAX_TEXT);
}

/** The header indicator of some SMSCs is wrong: a first octet that is a printable character is no length. */
function withoutHeader(bytes: Buffer, esmClass: number): Buffer {
  const length = bytes[0] ?? 0;
  const hasHeader = (esmClass & 0x40) !== 0 && length < 0x20 && length < bytes.length;
  return hasHeader ? bytes.subarray(length + 1) : bytes;
}

function isUcs2(body: Buffer): boolean {
  return body.length >= 4 && body[0] === 0 && body[2] === 0;
}

/** Fields that a pattern may find, by the names of its groups. */
const GROUPS = ['id', 'stat', 'err', 'done'] as const;

/** Reads the fields by a gateway's own pattern; undefined when it does not match. */
export function readByPattern(text: string, pattern: string): ReceiptFields | undefined {
  const compiled = compiledOf(pattern);
  const matcher = compiled.matcher(text);
  if (!matcher.find()) return undefined;
  const named = GROUPS.filter((name) => Object.hasOwn(compiled.namedGroups(), name));
  return Object.fromEntries(named.map((name) => [name, matcher.group(name) || undefined]));
}

/**
 * Compiles a pattern of receipts, for RE2: its time is linear in the text, whatever an SMSC or a subscriber writes.
 *
 * @throws Error that says what is wrong with it
 */
export function compileReceiptPattern(source: string): RE2JS {
  const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
  if (!GROUPS.some((name) => Object.hasOwn(pattern.namedGroups(), name)))
    throw new Error('must have at least one of the groups (?<id>…), (?<stat>…), (?<err>…), (?<done>…)');
  return pattern;
}

const MAX_PATTERNS = 1_000;
const patterns = new Map<string, RE2JS>();

function compiledOf(source: string): RE2JS {
  const known = patterns.get(source);
  if (known) return known;
  const pattern = compileReceiptPattern(source);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(source, pattern);
  return pattern;
}

/** `status,done date,submit date,,destination,sender,id`, as one large carrier writes it. */
const CSV = /^(\d{2}),(\d{10,16}),(\d{10,16}),[^,]*,(\+?\d+),[^,]*,([^,\s]+)\s*$/;

/** Reads `id:… stat:…` with each key searched apart, in any order and case, or the form of comma-separated values. */
export function readFields(text: string): ReceiptFields {
  const standard = STANDARD.exec(text);
  if (standard) {
    const [, id, done, stat, err] = standard;
    return { id, done, stat, err };
  }
  const csv = CSV.exec(text);
  if (csv) {
    const [, code, done, , destination, id] = csv;
    return { id, stat: code === '00' ? 'DELIVRD' : code, err: code, done, destination };
  }
  const end = text.search(/(?<![a-z])text:/i);
  const head = end > 0 ? text.slice(0, end) : text;
  return {
    id: valueOf(head, KEYS.id),
    stat: valueOf(head, KEYS.stat),
    err: valueOf(head, KEYS.err),
    done: valueOf(head, KEYS.done),
  };
}

/** The form of the standard (SMPP 3.4, appendix B), in which most receipts come: one pass finds all fields. */
const STANDARD =
  /^id:((?=[\w-]*\d)[\w-]+) sub:\d+ dlvrd:\d+ submit date:\d+ done date:(\d+) stat:([A-Z]{7}) err:(\d\w*)(?: |$)/;

const VALUE = String.raw`\s*:\s*["']?([^\s,;"']*)`;
const KEYS = {
  id: new RegExp(`(?<![a-z0-9_])(?:message[ _]?)?id${VALUE}`, 'i'),
  stat: new RegExp(`(?<![a-z0-9_])stat(?:us)?${VALUE}`, 'i'),
  err: new RegExp(`(?<![a-z0-9_])err(?:or)?(?:[ _]?code)?${VALUE}`, 'i'),
  done: new RegExp(`(?<![a-z0-9_])done[ _]?(?:date)?${VALUE}`, 'i'),
} as const;
/** The next key, where a field is empty. */
const NEXT_KEY = /^(?:id|sub|dlvrd|submit|done|stat|err|text|date)(?:$|:)/i;

function valueOf(text: string, key: RegExp): string | undefined {
  const value = key.exec(text)?.[1] ?? '';
  return value === '' || NEXT_KEY.test(value) ? undefined : value;
}
