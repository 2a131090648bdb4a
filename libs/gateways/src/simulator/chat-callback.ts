import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import { parseInstant } from '@signalbox/domain/instant';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { CallbackFormat, GatewayInbound, ReadCallback } from '../callback-format.ts';
import { MAX_GATEWAY_ID } from '../gateway-ids.ts';
import { asObject, listOf, parseObject } from '../cloud-api/json.ts';
import { isEqual } from '../is-equal.ts';
import { storable } from '../storable.ts';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';

/** Name of the simulated chat-app provider. */
export const CHAT_SIMULATOR = 'chat-simulator';

const SIGNATURE_HEADER = 'x-hub-signature-256';
const MAX_BODY_LENGTH = 4_096;

/** A status of one message, as the simulated provider sends it. */
export interface SimulatorStatus {
  messageId: string;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  errCode: string;
  description: string;
  timestamp: string;
}

/** A message that a recipient wrote, as the simulated provider sends it. */
export interface SimulatorInbound {
  /** The provider's unique id. */
  id: string;
  from: string;
  /** The business number. */
  to: string;
  timestamp: string;
  type: 'text' | 'button' | 'interactive';
  text?: { body: string };
  /** The tapped button of a template. */
  button?: { text: string };
  /** The tapped button, or the chosen row, of an interactive message. */
  interactive?: object;
  /** The message that it replies to. */
  context?: { messageId: string };
}

/** Builds the body of a callback of the simulated provider. */
export function chatSimulatorCallback(content: {
  statuses?: SimulatorStatus[];
  messages?: SimulatorInbound[];
}): Buffer {
  return Buffer.from(JSON.stringify(content));
}

/** Builds the signature header of a body. */
export function signChatCallback(body: Buffer, secret: string): Record<string, string> {
  return { [SIGNATURE_HEADER]: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

/** Makes the callback format of the simulated provider. Any of the secrets may sign. */
export function chatSimulatorCallbacks(secrets: readonly string[]): CallbackFormat {
  return {
    verify: ({ headers, body }) => secrets.some((secret) => isSigned(headers, body, secret)),
    read,
  };
}

function isSigned(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const given = String(headers[SIGNATURE_HEADER] ?? '');
  return isEqual(given, signChatCallback(body, secret)[SIGNATURE_HEADER] ?? '');
}

function read(body: Buffer): ReadCallback {
  const content = parseObject(body);
  if (content === undefined)
    return { reports: [], inbound: [], problem: 'The body is not a JSON object in UTF-8.' };
  const [statuses, messages] = [listOf(content['statuses']), listOf(content['messages'])];
  const [reports, inbound] = [statuses.flatMap(readStatus), messages.flatMap(readMessage)];
  const unread = statuses.length - reports.length + messages.length - inbound.length;
  return {
    reports,
    inbound,
    problem:
      unread === 0 ? null : `Entries that cannot be read: ${unread} of ${statuses.length + messages.length}.`,
  };
}

const STATUSES: ReadonlyMap<unknown, ReportedStatus> = new Map<unknown, ReportedStatus>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['failed', 'FAILED'],
]);

function readStatus(entry: unknown): GatewayReport[] {
  const { messageId, status: word, errCode = '000', description = '', timestamp } = asObject(entry) ?? {};
  const status = STATUSES.get(word);
  if (
    status === undefined ||
    typeof messageId !== 'string' ||
    typeof errCode !== 'string' ||
    typeof description !== 'string'
  )
    return [];
  return [{ messageId, status, errCode, description, reportedAt: instantOf(timestamp) }];
}

function readMessage(entry: unknown): GatewayInbound[] {
  const given = asObject(entry) ?? {};
  const { id, from, to, timestamp, context } = given;
  const [sender, recipient] = [numberOf(from), numberOf(to)];
  const said = saidIn(given);
  const replyTo = asObject(context)?.['messageId'];
  if (said === undefined || sender === undefined || recipient === undefined) return [];
  if (typeof id !== 'string' || id === '' || id.length > MAX_GATEWAY_ID) return [];
  return [
    {
      gatewayMessageId: id,
      from: sender,
      to: recipient,
      ...said,
      replyTo: typeof replyTo === 'string' ? replyTo : null,
      sentAt: instantOf(timestamp),
    },
  ];
}

/** The kind and the content of a message; undefined when they do not fit together. */
function saidIn(given: Record<string, unknown>): Pick<GatewayInbound, 'kind' | 'content'> | undefined {
  const { type } = given;
  if (type === 'text') {
    const body = asObject(given['text'])?.['body'];
    return isShort(body) ? { kind: type, content: { text: { body } } } : undefined;
  }
  if (type !== 'button' && type !== 'interactive') return undefined;
  const content = storable(asObject(given[type]));
  return content !== undefined && isShort(JSON.stringify(content))
    ? { kind: type, content: { [type]: content } }
    : undefined;
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_BODY_LENGTH;
}

function numberOf(value: unknown): string | undefined {
  return typeof value === 'string' ? parseMsisdn(value) : undefined;
}

/** Falls back to the current time when an event has no readable time. */
function instantOf(value: unknown): Date {
  return (typeof value === 'string' ? parseInstant(value) : undefined) ?? new Date();
}
