import { ERR_CODES } from '@signalbox/domain/err-codes';
import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { type ErrorTable, errCodeOf, withOverrides } from '../../errors/error-table.ts';
import { ERROR_TABLES } from '../../errors/error-tables.ts';
import type { SegmentReport } from '../../gateway-ids.ts';
import { type ShortMessage, TAG, findTlv } from '../pdu.ts';
import { readReceiptDate } from './receipt-date.ts';
import type { ReceiptSettings, StatMeaning } from './receipt-settings.ts';
import { type ReceiptFields, readByPattern, readFields, receiptTextOf } from './receipt-text.ts';

const MESSAGE_TYPE = 0x3c;
const RECEIPT = 0x04;
const INTERMEDIATE = 0x20;

/** States of the TLV message_state (SMPP 3.4, section 5.2.28). */
const STATES = [
  'SCHEDULED',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
];

/** Values of `stat` in capitals, of the standard and of SMSCs that spell them out. */
const STATS: ReadonlyMap<string, StatMeaning> = new Map([
  ...among('DELIVERED', 'DELIVRD', 'DELIVERED'),
  ...among('SENT', 'ACCEPTD', 'ACCEPTED', 'ENROUTE', 'SCHEDULED', 'ACKED'),
  ...among('SENT', 'BUFFRED', 'BUFFERD', 'BUFFERED'),
  ...among('EXPIRED', 'EXPIRED'),
  ...among('FAILED', 'UNDELIV', 'UNDELIVERABLE', 'UNDELIVERED', 'FAILED', 'NACK', 'SKIPPED'),
  ...among('FAILED', 'REJECTD', 'REJECTED', 'DELETED'),
]);

function among(meaning: StatMeaning, ...stats: string[]): [string, StatMeaning][] {
  return stats.map((stat) => [stat, meaning]);
}

/**
 * Reads a receipt of an SMSC, in whichever of the known forms. Never throws.
 *
 * @returns undefined for a message that is no receipt. A receipt without id has an empty one, and a receipt with an
 *   unknown state the status null
 */
export function readReceipt(
  pdu: ShortMessage,
  settings: ReceiptSettings,
  now: Date = new Date(),
): SegmentReport | undefined {
  const text = receiptTextOf(pdu);
  const inText = settings.pattern
    ? { ...readFields(text), ...readByPattern(text, settings.pattern) }
    : readFields(text);
  if (!isReceipt(pdu, inText)) return undefined;
  if (pdu.tlvs.length === 0) return reportOf(inText, pdu, settings, now);
  const inTlvs = readTlvs(pdu);
  const [second, first] = settings.first === 'tlv' ? [inText, inTlvs] : [inTlvs, inText];
  return reportOf({ ...second, ...defined(first) }, pdu, settings, now);
}

/**
 * A receipt has its type in esm_class. One whose type is that of a plain message is known by its TLVs, which no
 * subscriber can send: a text alone could be forged.
 */
function isReceipt(pdu: ShortMessage, { id, stat }: ReceiptFields): boolean {
  const type = pdu.esmClass & MESSAGE_TYPE;
  if (type === RECEIPT || type === INTERMEDIATE) return true;
  if (type !== 0 || !findTlv(pdu, TAG.receiptedMessageId)) return false;
  return findTlv(pdu, TAG.messageState) !== undefined || (id !== undefined && stat !== undefined);
}

function readTlvs(pdu: ShortMessage): ReceiptFields {
  const id = findTlv(pdu, TAG.receiptedMessageId);
  const state = findTlv(pdu, TAG.messageState);
  const error = findTlv(pdu, TAG.networkErrorCode);
  const code = error && error.length >= 3 ? error.readUInt16BE(1) : 0;
  return {
    id: id?.toString('latin1').replace(/\0.*$/s, '').trim(),
    stat: state?.length === 1 ? (STATES[state[0]!] ?? `STATE ${state[0]}`) : undefined,
    err: code === 0 ? undefined : String(code),
  };
}

function defined(fields: ReceiptFields): ReceiptFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

function reportOf(
  fields: ReceiptFields,
  pdu: ShortMessage,
  settings: ReceiptSettings,
  now: Date,
): SegmentReport {
  const meaning = meaningOf(fields.stat, settings);
  const status = statusOf(meaning);
  const errCode = isFine(status) ? '000' : reasonOf(meaning, fields.err, settings);
  return {
    gatewayMessageId: fields.id ?? '',
    recipient: recipientOf(fields, pdu, settings),
    status,
    errCode,
    gatewayCode: fields.err ?? null,
    description: descriptionOf(status, errCode),
    reportedAt: (fields.done && readReceiptDate(fields.done, settings.timeZone, now)) || now,
  };
}

function recipientOf(
  { destination }: ReceiptFields,
  pdu: ShortMessage,
  { recipient }: ReceiptSettings,
): string | null {
  return recipient === 'ignore' ? null : digitsOf(destination ?? pdu[recipient]);
}

/** Digits mean different things at different SMSCs, so settings alone give them a meaning. */
function meaningOf(stat: string | undefined, { statuses, unknown }: ReceiptSettings): StatMeaning {
  const upper = (stat ?? '').toUpperCase();
  const set = Object.entries(statuses).find(([raw]) => raw.toUpperCase() === upper)?.[1];
  return set ?? STATS.get(upper) ?? (unknown === 'failed' ? 'FAILED' : 'IGNORED');
}

function statusOf(meaning: StatMeaning): SegmentReport['status'] {
  if (meaning === 'IGNORED') return null;
  return meaning === 'EXPIRED' ? 'FAILED' : meaning;
}

function isFine(status: SegmentReport['status']): boolean {
  return status === 'DELIVERED' || status === 'SENT';
}

function descriptionOf(status: SegmentReport['status'], errCode: keyof typeof ERR_CODES): string {
  if (status === 'DELIVERED') return 'Message delivered';
  return status === 'SENT' ? 'Message accepted by the SMSC' : ERR_CODES[errCode];
}

function reasonOf(
  meaning: StatMeaning,
  err: string | undefined,
  settings: ReceiptSettings,
): keyof typeof ERR_CODES {
  return meaning === 'EXPIRED' ? '004' : errCodeOf(tableOf(settings), err);
}

const tables = new WeakMap<ReceiptSettings, ErrorTable>();

function tableOf(settings: ReceiptSettings): ErrorTable {
  return getOrInsert(tables, settings, () =>
    withOverrides(ERROR_TABLES[settings.errorTable], settings.errCodes),
  );
}

const DIGITS = /^\d+$/;

/** Digits of an address; null for one with fewer than five, which may be anything. */
function digitsOf(address: string): string | null {
  const digits = DIGITS.test(address) ? address : address.replaceAll(/\D/g, '');
  return digits.length < 5 ? null : digits;
}
