import { type MessageKey, messageId } from '../message-id.ts';
import { type MessageStatus, type ReportStatus, wireStatus } from '../message-status.ts';
import { UNKNOWN_CARRIER } from '../routing/carrier-table.ts';

/** What a webhook is told of one SMS (spec 2.8, 6.1). `status` is the wire's word; null is a value nobody knows. */
export interface DeliveryReport {
  messageId: string;
  mobileNumber: string;
  messageCredit: number;
  gatewayName: string | null;
  senderName: string;
  errCode: string;
  status: string;
  createdAt: Date;
  deliveredAt: Date | null;
  operatorCircle: string | null;
  statusDescription: string | null;
}

/** A message as a report left it. */
export interface ReportedMessage extends MessageKey {
  recipient: string;
  sender: string;
  credits: number;
  gateway: string | null;
  status: MessageStatus | ReportStatus;
  errCode: string | null;
  description: string | null;
  operatorCircle: string | null;
  acceptedAt: Date;
  deliveredAt: Date | null;
}

/** What a webhook is told of a message. */
export function toDeliveryReport(message: ReportedMessage): DeliveryReport {
  return {
    messageId: messageId(message.submissionId, message.n),
    mobileNumber: message.recipient,
    messageCredit: message.credits,
    gatewayName: message.gateway,
    senderName: message.sender,
    errCode: message.errCode ?? '000',
    status: pushedStatus(message.status),
    createdAt: message.acceptedAt,
    deliveredAt: message.deliveredAt,
    operatorCircle: message.operatorCircle ?? UNKNOWN_CARRIER,
    statusDescription: message.description,
  };
}

/** An SMS report knows no Read (spec 2.8), and read is delivered. */
export function pushedStatus(status: MessageStatus | ReportStatus): string {
  return wireStatus(status === 'READ' ? 'DELIVERED' : status);
}

/** The fields that every report carries, in the order of the samples (spec 6.1). */
const REPORT_FIELDS = [
  'messageId',
  'mobileNumber',
  'senderName',
  'errCode',
  'status',
  'createdAt',
  'deliveredDate',
  'statusDescription',
] as const;

/** The fields that a report carries only when the webhook names them (decisions, Webhooks). */
const NAMED_FIELDS = ['messageCredit', 'gatewayName', 'operatorCircle'] as const;

/** The names that a header value may hold between double braces (spec 6.2). */
export const PLACEHOLDERS = [...REPORT_FIELDS, ...NAMED_FIELDS] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The part of a webhook's configuration that shapes its pushes. */
export interface PushShape {
  method: 'GET' | 'POST';
  endPoint: string;
  headers: readonly { key: string; value: string }[];
  /** Fields asked for beyond those of every report. */
  fields: readonly string[];
}

/** One call of a webhook, ready to be signed and sent. */
export interface RenderedPush {
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const MAX_HEADER_BYTES = 1024;
const MAX_URL_BYTES = 2048;

/** The values of all placeholders as text: `createdAt` in epoch milliseconds, a value nobody knows as ''. */
export function reportFields(report: DeliveryReport): Record<Placeholder, string> {
  return {
    messageId: report.messageId,
    mobileNumber: report.mobileNumber,
    senderName: report.senderName,
    errCode: report.errCode,
    status: report.status,
    createdAt: String(report.createdAt.getTime()),
    deliveredDate: report.deliveredAt === null ? '' : formatDate(report.deliveredAt),
    statusDescription: report.statusDescription ?? '',
    messageCredit: String(report.messageCredit),
    gatewayName: report.gatewayName ?? '',
    operatorCircle: report.operatorCircle ?? '',
  };
}

/** The fields that a webhook's reports carry: the eight of every report, and those its headers or its `fields` name. */
export function sentFields(target: Pick<PushShape, 'headers' | 'fields'>): Placeholder[] {
  const named = NAMED_FIELDS.filter(
    (name) => target.fields.includes(name) || target.headers.some(({ value }) => value === `{{${name}}}`),
  );
  return [...REPORT_FIELDS, ...named];
}

/**
 * Renders the report of an SMS as a call of a webhook: a JSON body for POST, query parameters for GET (spec 6.1). Whatever the values
 * hold, Node can send it: headers are visible Latin-1 of at most 1,024 bytes, a GET's URL has at most 2,048 when its end point
 * follows the rules of webhook-rules.ts.
 */
export function renderPush(target: PushShape, report: DeliveryReport): RenderedPush {
  const values = reportFields(report);
  const names = sentFields(target);
  const headers = renderHeaders(target.headers, values);
  if (target.method === 'GET')
    return { url: renderUrl(target.endPoint, names, values), headers, body: undefined };
  headers['content-type'] = 'application/json';
  return { url: target.endPoint, headers, body: renderBody(names, values) };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Date.prototype.toString as a process in UTC would write it, whatever the zone of this one. */
function formatDate(at: Date): string {
  const day = `${DAYS[at.getUTCDay()]} ${MONTHS[at.getUTCMonth()]} ${twoDigits(at.getUTCDate())} ${at.getUTCFullYear()}`;
  const time = `${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())}:${twoDigits(at.getUTCSeconds())}`;
  return `${day} ${time} GMT+0000 (Coordinated Universal Time)`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** The headers of a configuration with their values. A header's value is one placeholder; a name we do not know, from a configuration of another time, renders as ''. */
export function renderHeaders(
  templates: PushShape['headers'],
  values: Record<string, string>,
): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>; // `__proto__` is a legal header name
  for (const { key, value } of templates) {
    const name = value.slice(2, -2);
    headers[key] = Object.hasOwn(values, name) ? headerText(values[name]!) : '';
  }
  return headers;
}

const PLAIN_HEADER = /^[\x20-\x7e]*$/;

function headerText(text: string): string {
  if (text.length <= MAX_HEADER_BYTES && PLAIN_HEADER.test(text)) return text;
  return encodeUpTo(text, MAX_HEADER_BYTES, encodeForHeader);
}

/** CR, LF and NUL are dropped; what is not visible Latin-1 is percent-encoded as UTF-8. */
function encodeForHeader(character: string): string {
  if (character === '\r' || character === '\n' || character === '\0') return '';
  return /[\x20-\x7e\xa0-\xff]/.test(character) ? character : encodeURIComponent(character);
}

function renderBody(names: readonly Placeholder[], values: Record<Placeholder, string>): string {
  const body: Record<string, string> = {};
  for (const name of names) body[name] = values[name];
  return JSON.stringify(body);
}

/** The description comes last and is cut when the URL grows too long: it is the only value without a bound of its own. */
function renderUrl(
  endPoint: string,
  names: readonly Placeholder[],
  values: Record<Placeholder, string>,
): string {
  const url = new URL(endPoint);
  url.hash = '';
  let text = url.href + (url.search === '' ? (url.href.endsWith('?') ? '' : '?') : '&');
  for (const name of names) {
    if (name !== 'statusDescription') text += `${name}=${encodeForQuery(values[name].toWellFormed())}&`;
  }
  text += 'statusDescription=';
  return text + encodeUpTo(values.statusDescription, MAX_URL_BYTES - text.length, encodeForQuery);
}

/** Leaves nothing that a URL parser would still encode, so that the URL that is signed is the one that is sent. */
function encodeForQuery(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}

/** Encodes whole characters as long as they fit; both encodings yield one byte per UTF-16 unit. */
function encodeUpTo(text: string, maxBytes: number, encode: (character: string) => string): string {
  let encoded = '';
  for (const character of text) {
    const next = encode(character.toWellFormed());
    if (encoded.length + next.length > maxBytes) break;
    encoded += next;
  }
  return encoded;
}
