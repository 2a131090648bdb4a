import { type MessageKey, messageId } from '../message-id.ts';
import { type MessageStatus, type ReportStatus, wireStatus } from '../message-status.ts';
import { UNKNOWN_CARRIER } from '../routing/carrier-table.ts';
import { USER_AGENT } from '../user-agent.ts';
import { NAMED_FIELDS, type Placeholder, REPORT_FIELDS } from './report-fields.ts';

/** Delivery report of one message as webhooks receive it; null stands for an unknown value. */
export interface DeliveryReport {
  messageId: string;
  mobileNumber: string;
  messageCredit: number;
  gatewayName: string | null;
  senderName: string;
  errCode: string;
  /** In its wire form. */
  status: string;
  createdAt: Date;
  deliveredAt: Date | null;
  operatorCircle: string | null;
  statusDescription: string | null;
}

/** A message after a report was applied. */
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

/** Builds the delivery report of a message. */
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

/** Converts a status to its wire form. SMS reports have no Read: a read message is Delivered. */
export function pushedStatus(status: MessageStatus | ReportStatus): string {
  return wireStatus(status === 'READ' ? 'DELIVERED' : status);
}

/** Settings of a webhook that decide the form of its pushes. */
export interface PushShape {
  method: 'GET' | 'POST';
  endPoint: string;
  headers: readonly { key: string; value: string }[];
  /** Fields beyond those of every report. */
  fields: readonly string[];
}

/** A rendered call of a webhook, ready to be signed and sent. */
export interface RenderedPush {
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const MAX_HEADER_BYTES = 1024;
const MAX_URL_BYTES = 2048;

/**
 * Converts a report to the text of each placeholder: `createdAt` in epoch milliseconds, unknown values as ''.
 */
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

/** Lists the fields of every report, and those that the webhook's headers or `fields` name. */
export function sentFields(target: Pick<PushShape, 'headers' | 'fields'>): Placeholder[] {
  const named = NAMED_FIELDS.filter(
    (name) => target.fields.includes(name) || target.headers.some(({ value }) => value === `{{${name}}}`),
  );
  return [...REPORT_FIELDS, ...named];
}

/**
 * Renders the report of an SMS as a webhook call: a JSON body for POST, query parameters for GET. Node can send the
 * result whatever the values are: header values are visible Latin-1 of at most 1,024 bytes, and the URL of a GET has at
 * most 2,048 bytes if its endpoint passes `checkEndpoint`.
 */
export function renderPush(target: PushShape, report: DeliveryReport): RenderedPush {
  return compilePush(target)(report);
}

/**
 * Does the part of `renderPush` that is the same for every report of a webhook.
 *
 * @throws TypeError for a GET whose endpoint is no URL
 */
export function compilePush(target: PushShape): (report: DeliveryReport) => RenderedPush {
  const names = sentFields(target);
  const { endPoint } = target;
  if (target.method === 'GET') {
    const urlOf = compileUrl(endPoint, names);
    return (report) => {
      const values = reportFields(report);
      return { url: urlOf(values), headers: renderHeaders(target.headers, values), body: undefined };
    };
  }
  return (report) => {
    const values = reportFields(report);
    const headers = renderHeaders(target.headers, values);
    headers['content-type'] = 'application/json';
    return { url: endPoint, headers, body: renderBody(names, values) };
  };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The latest date and its text: the reports of a second share them. */
let [lastSecond, lastText] = [Number.NaN, ''];

/** Formats a date like Date.prototype.toString in a process whose time zone is UTC. */
function formatDate(at: Date): string {
  const second = Math.floor(at.getTime() / 1000);
  if (second !== lastSecond) [lastSecond, lastText] = [second, dateText(at)];
  return lastText;
}

function dateText(at: Date): string {
  const day = `${DAYS[at.getUTCDay()]} ${MONTHS[at.getUTCMonth()]} ${twoDigits(at.getUTCDate())} ${at.getUTCFullYear()}`;
  const time = `${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())}:${twoDigits(at.getUTCSeconds())}`;
  return `${day} ${time} GMT+0000 (Coordinated Universal Time)`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/**
 * Renders `user-agent` and the configured headers, which may replace it. Each configured value is one placeholder. An
 * unknown name, from an older configuration, renders as ''.
 */
export function renderHeaders(
  templates: PushShape['headers'],
  values: Record<string, string>,
): Record<string, string> {
  if (templates.length === 0) return { 'user-agent': USER_AGENT }; // costs less than an object without a prototype
  const headers = Object.create(null) as Record<string, string>; // `__proto__` is a legal header name
  headers['user-agent'] = USER_AGENT;
  for (const { key, value } of templates) {
    const name = value.slice(2, -2);
    if (key.toLowerCase() === 'user-agent') delete headers['user-agent'];
    headers[key] = Object.hasOwn(values, name) ? headerText(values[name]!) : '';
  }
  return headers;
}

const PLAIN_HEADER = /^[\x20-\x7e]*$/;

function headerText(text: string): string {
  if (text.length <= MAX_HEADER_BYTES && PLAIN_HEADER.test(text)) return text;
  return encodeUpTo(text, MAX_HEADER_BYTES, encodeForHeader);
}

/** Drops CR, LF and NUL; percent-encodes all but visible Latin-1 as UTF-8. */
function encodeForHeader(character: string): string {
  if (character === '\r' || character === '\n' || character === '\0') return '';
  return /[\x20-\x7e\xa0-\xff]/.test(character) ? character : encodeURIComponent(character);
}

function renderBody(names: readonly Placeholder[], values: Record<Placeholder, string>): string {
  const body: Record<string, string> = {};
  for (const name of names) body[name] = values[name];
  return JSON.stringify(body);
}

/** Builds the renderer of a URL. The description, the only value without a limit, is last and truncated to fit. */
function compileUrl(
  endPoint: string,
  names: readonly Placeholder[],
): (values: Record<Placeholder, string>) => string {
  const url = new URL(endPoint);
  url.hash = '';
  const start = url.href + querySeparator(url);
  const bounded = names.filter((name) => name !== 'statusDescription');
  return (values) => {
    const query = bounded.map((name) => `${name}=${encodeForQuery(values[name].toWellFormed())}&`).join('');
    const text = `${start}${query}statusDescription=`;
    return text + encodeUpTo(values.statusDescription, MAX_URL_BYTES - text.length, encodeForQuery);
  };
}

function querySeparator(url: URL): string {
  if (url.search !== '') return '&';
  return url.href.endsWith('?') ? '' : '?';
}

/** Encodes everything that a URL parser would encode, so that the signed URL is the one that is sent. */
function encodeForQuery(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}

/** Encodes whole characters while they fit. The result has one byte per UTF-16 unit. */
function encodeUpTo(text: string, maxBytes: number, encode: (character: string) => string): string {
  let encoded = '';
  for (const character of text) {
    const next = encode(character.toWellFormed());
    if (encoded.length + next.length > maxBytes) break;
    encoded += next;
  }
  return encoded;
}
