import { createHmac } from 'node:crypto';
import { maskNumbers } from '@signalbox/domain/msisdn';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { CallbackFormat, CallbackRequest, GatewayInbound, ReadCallback } from '../callback-format.ts';
import { isEqual } from '../is-equal.ts';
import type { ConsentChange, IdentityNotice, TemplateChange } from '../provider-changes.ts';
import { readGraphError } from './error.ts';
import { readRecipient, readReplacement } from './identities.ts';
import { isKnownKind, numberOf, readInbound, userIdOf, userIdsOf } from './inbound.ts';
import { type JsonObject, asObject, instantOf, listOf, parseObject, textOf } from './json.ts';
import { readStatus, statusKey } from './statuses.ts';
import { TEMPLATE_FIELDS, readTemplateChange } from './template-changes.ts';
import { isKnownStatus } from './template-status.ts';

/** Fields that Meta may send and that change nothing here. */
const IGNORED_FIELDS: ReadonlySet<unknown> = new Set([
  'account_alerts',
  'account_review_update',
  'account_settings_update',
  'account_update',
  'automatic_events',
  'business_capability_update',
  'business_status_update',
  'calls',
  'consumer_profile',
  'flows',
  'group_lifecycle_update',
  'group_participants_update',
  'group_settings_update',
  'group_status_update',
  'history',
  'message_echoes',
  'message_template_components_update',
  'messaging_handovers',
  'partner_solutions',
  'payment_configuration_update',
  'phone_number_name_update',
  'phone_number_quality_update',
  'security',
  'smb_app_state_sync',
  'smb_message_echoes',
  'standby',
  'template_correct_category_detection',
  'tracking_events',
]);

/** Secrets of the webhook. The app secret signs bodies, the verify token proves a subscription. */
interface CallbackSecrets {
  appSecret: string;
  verifyToken: string;
}

/** Makes the format of the webhooks of one gateway. */
export function cloudApiCallbacks({ appSecret, verifyToken }: CallbackSecrets): CallbackFormat {
  return {
    challenge: (request) => challenge(request, verifyToken),
    verify: ({ method, headers, body }) =>
      method === 'POST' && isSigned(headers['x-hub-signature-256'], body, appSecret),
    answer: { status: 200, contentType: 'text/plain', body: '' },
    read: readCloudApiCallback,
  };
}

function challenge(
  { method, query }: CallbackRequest,
  verifyToken: string,
): { status: number; body: string } | undefined {
  if (method !== 'GET' || query.get('hub.mode') !== 'subscribe') return undefined;
  const isOurs = isEqual(query.get('hub.verify_token') ?? '', verifyToken);
  const echoed = query.get('hub.challenge') ?? '';
  return isOurs && /^[\w.-]{1,200}$/.test(echoed) ? { status: 200, body: echoed } : { status: 403, body: '' };
}

function isSigned(header: unknown, body: Buffer, secret: string): boolean {
  const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return typeof header === 'string' && isEqual(header, right);
}

const MAX_SHAPES = 10;
const MAX_ERROR = 200;

/** Contents of a body as they are collected. */
class Reading {
  readonly reports: GatewayReport[] = [];
  readonly inbound: GatewayInbound[] = [];
  readonly templates: TemplateChange[] = [];
  readonly consents: ConsentChange[] = [];
  readonly identities = new Map<string, IdentityNotice>();
  readonly seen = new Set<string>();
  unread = 0;
  foreign = 0;
  private readonly unknown = new Set<string>();
  private readonly errors = new Set<string>();

  /** Keeps a part that was read, and counts one that was not. */
  keep<Part>(list: Part[], part: Part | undefined): void {
    if (part === undefined) this.unread += 1;
    else list.push(part);
  }

  /** Keeps each identity once: many statuses of a body show the same one. */
  keepIdentities(notices: IdentityNotice[]): void {
    for (const notice of notices) this.identities.set(Object.values(notice).join(' '), notice);
  }

  /** Notes a shape that is not known, such as `field weather`. */
  noteUnknown(shape: string): void {
    if (this.unknown.size < MAX_SHAPES) this.unknown.add(shape.replace(/[^\x20-\x7e]/g, '?').slice(0, 60));
  }

  /** Notes an error that Meta states about no message. */
  noteError(value: unknown): void {
    const { code, description = 'an error that cannot be read' } = readGraphError(value) ?? {};
    const text = maskNumbers(description.slice(0, MAX_ERROR));
    if (this.errors.size < MAX_SHAPES) this.errors.add(code === undefined ? text : `${code}, ${text}`);
  }

  /** Is true for the first of equal keys, and for a part without one. */
  isNew(key: string | undefined): boolean {
    if (key === undefined) return true;
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  problem(): string | null {
    const problems = [
      ...(this.unread > 0 ? [`Parts that cannot be read: ${this.unread}.`] : []),
      ...(this.foreign > 0 ? [`Statuses of messages that were not sent from here: ${this.foreign}.`] : []),
      ...(this.unknown.size > 0 ? [`Not read: ${[...this.unknown].join(', ')}.`] : []),
      ...(this.errors.size > 0 ? [`Meta reports: ${[...this.errors].join(' ')}`] : []),
    ];
    return problems.length === 0 ? null : problems.join(' ');
  }
}

/**
 * Reads every status, message and template of a webhook body. A part that cannot be read is counted, and never loses
 * the others. A status that the body repeats is read once.
 */
export function readCloudApiCallback(body: Buffer): ReadCallback {
  const content = parseObject(body);
  if (content === undefined)
    return { reports: [], inbound: [], problem: 'The body is not a JSON object in UTF-8.' };
  const reading = new Reading();
  for (const entry of listOf(content['entry'])) readEntry(asObject(entry), reading);
  const { reports, inbound, templates, consents } = reading;
  const identities = [...reading.identities.values()];
  return { reports, inbound, templates, consents, identities, problem: reading.problem() };
}

function readEntry(entry: JsonObject | undefined, reading: Reading): void {
  if (!entry) reading.unread += 1;
  for (const each of listOf(entry?.['changes'])) {
    const change = asObject(each);
    const value = asObject(change?.['value']);
    if (change && value) readChange(change['field'], value, instantOf(entry?.['time']), reading);
    else reading.unread += 1;
  }
}

function readChange(field: unknown, value: JsonObject, at: Date, reading: Reading): void {
  if (field === 'messages') readMessages(value, reading);
  else if (field === 'user_preferences') readPreferences(value, reading);
  else if (TEMPLATE_FIELDS.has(field)) readTemplate(value, at, reading);
  else if (!IGNORED_FIELDS.has(field)) reading.noteUnknown(`field ${textOf(field) ?? 'without a name'}`);
}

function readTemplate(value: JsonObject, at: Date, reading: Reading): void {
  const change = readTemplateChange(value, at);
  reading.keep(reading.templates, change);
  if (change?.status !== undefined && !isKnownStatus(change.status))
    reading.noteUnknown(`template event ${change.status}`);
}

function readMessages(value: JsonObject, reading: Reading): void {
  const to = numberOf(asObject(value['metadata'])?.['display_phone_number']);
  for (const status of listOf(value['statuses'])) readOneStatus(status, to, reading);
  const userIds = userIdsOf(listOf(value['contacts']));
  for (const message of listOf(value['messages'])) {
    reading.keep(reading.inbound, to === undefined ? undefined : readInbound(message, to, userIds));
    if (to !== undefined) reading.keepIdentities(readReplacement(message, to));
    const type = asObject(message)?.['type'];
    if (typeof type === 'string' && !isKnownKind(type)) reading.noteUnknown(`message kind ${type}`);
  }
  for (const error of listOf(value['errors'])) reading.noteError(error);
}

function readOneStatus(status: unknown, sender: string | undefined, reading: Reading): void {
  if (!reading.isNew(statusKey(status))) return;
  const report = readStatus(status);
  if (report === 'ignored') return;
  if (report === 'foreign') return void (reading.foreign += 1);
  if (report && 'unknown' in report) return reading.noteUnknown(`status ${report.unknown}`);
  reading.keep(reading.reports, report);
  if (sender === undefined) return;
  reading.keepIdentities(readRecipient(status, sender));
  if (report?.gatewayCode === REFUSES_MARKETING)
    keepConsent(
      asObject(status) ?? {},
      'recipient_id',
      'recipient_user_id',
      { sender, consent: 'stop' },
      reading,
    );
}

/** Code of a message to a recipient who refuses marketing messages. */
const REFUSES_MARKETING = '131050';

/** Recipients choose in the app whether they want marketing messages of a business. */
function readPreferences(value: JsonObject, reading: Reading): void {
  const sender = numberOf(asObject(value['metadata'])?.['display_phone_number']);
  for (const each of listOf(value['user_preferences'])) {
    const preference = asObject(each) ?? {};
    const consent = CONSENTS.get(preference['value']);
    if (sender === undefined || consent === undefined) reading.unread += 1;
    else keepConsent(preference, 'wa_id', 'user_id', { sender, consent }, reading);
  }
}

const CONSENTS: ReadonlyMap<unknown, 'stop' | 'start'> = new Map<unknown, 'stop' | 'start'>([
  ['stop', 'stop'],
  ['resume', 'start'],
]);

function keepConsent(
  given: JsonObject,
  number: string,
  user: string,
  consent: Pick<ConsentChange, 'sender' | 'consent'>,
  reading: Reading,
): void {
  const recipients = [numberOf(given[number]), userIdOf(given[user])].filter((each) => each !== undefined);
  for (const recipient of recipients)
    reading.consents.push({ ...consent, recipient, at: instantOf(given['timestamp']) });
  if (recipients.length === 0) reading.unread += 1;
}
