import type { Channel } from '../channel.ts';
import { type PushShape, sentFields } from './delivery-report.ts';
import { PLACEHOLDERS } from './report-fields.ts';
import type { BatchSetting } from './push-batch.ts';
import { PUSHED_STATUSES, type PushFilters } from './push-filters.ts';
import { type Rule, type Violation, violation } from '../violation.ts';

const MAX_HEADERS = 50;
const MAX_KEY_LENGTH = 256;
const MAX_END_POINT_LENGTH = 2048;
/** Leaves room in the 2,048 bytes of a GET for every field but a long description. */
const MAX_GET_END_POINT_BYTES = 1536;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Headers that frame the request, that Signalbox sets, or that carry a session. */
const FORBIDDEN_KEYS = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'cookie',
]);

const TEMPLATES = new Set(PLACEHOLDERS.map((name) => `{{${name}}}`));

/** Well-known ports of data stores that often accept connections without authentication. */
const DATABASE_PORTS = new Set([5432, 6379]);

/** Settings of a webhook that rules of several fields apply to. */
export interface CheckedWebhook extends PushShape {
  /** Undefined skips the rules on the channel. */
  channel: Channel | undefined;
  events: readonly string[];
  intermediate: boolean;
  filters: PushFilters;
  schedule: readonly number[] | null;
  batch: BatchSetting | null;
}

/** Checks the rules that involve several fields of a webhook. */
export function checkWebhook(webhook: CheckedWebhook): Violation[] {
  return [
    ...checkEndpoint(webhook),
    ...checkHeaders(webhook.headers),
    ...checkSchedule(webhook.schedule),
    ...checkBatch(webhook),
    ...checkChannel(webhook),
  ];
}

/**
 * Checks the headers of a webhook: at most 50, each key an HTTP token that is used once and does not frame the request,
 * each value exactly one placeholder.
 */
export function checkHeaders(headers: PushShape['headers']): Violation[] {
  if (headers.length > MAX_HEADERS)
    return [violation('headers', 'too_many_items', `must be at most ${MAX_HEADERS}`)];
  const seen = new Set<string>();
  return headers.flatMap(({ key, value }, i) => {
    const keyProblem = checkKey(`headers[${i}].key`, key, seen);
    seen.add(key.toLowerCase());
    return [keyProblem, checkValue(`headers[${i}].value`, value)].filter((problem) => problem !== undefined);
  });
}

/**
 * Checks the endpoint of a webhook; its address is checked at each dial instead. The text is checked as written,
 * because a URL parser silently repairs much of what hides a host: tabs, backslashes, missing slashes.
 *
 * @returns at most one violation
 */
export function checkEndpoint(target: PushShape): Violation[] {
  const problem = checkText(target.endPoint) ?? checkUrl(target);
  return problem === undefined ? [] : [problem];
}

/** Sum of the delays of a schedule. */
const MAX_SCHEDULE_SECONDS = 8 * 86_400;

function checkSchedule(schedule: readonly number[] | null): Violation[] {
  const seconds = (schedule ?? []).reduce((sum, wait) => sum + wait, 0);
  return seconds > MAX_SCHEDULE_SECONDS
    ? [violation('schedule', 'out_of_range', 'must be at most 8 days in all')]
    : [];
}

/** A call with several reports has a body, and no header can hold a value of each. */
function checkBatch({ batch, method, headers }: CheckedWebhook): Violation[] {
  if (batch === null || (method === 'POST' && headers.length === 0)) return [];
  const message = 'must be null with GET or with headers, whose values belong to one report';
  return [violation('batch', 'not_allowed_value', message)];
}

/** Refuses the settings of the other channel, which would have no effect. */
function checkChannel({
  channel,
  method,
  fields,
  events,
  intermediate,
  filters,
}: CheckedWebhook): Violation[] {
  if (channel === undefined) return [];
  const statuses: readonly string[] = PUSHED_STATUSES[channel];
  const foreign = (filters.status ?? []).flatMap((status, i) =>
    statuses.includes(status)
      ? []
      : [violation(`filters.status[${i}]`, 'not_allowed_value', `must be one of ${statuses.join(', ')}`)],
  );
  const misplaced: [boolean, string, string][] =
    channel === 'sms'
      ? [
          [
            events.some((event) => event !== 'message.received'),
            'events',
            'must be message.received, or left out, for the channel sms',
          ],
          [events.length > 0 && method !== 'POST', 'method', 'must be POST with events'],
        ]
      : [
          [method !== 'POST', 'method', 'must be POST for the channel chatapp'],
          [events.length === 0, 'events', 'must name at least one kind of event'],
          [fields.length > 0, 'fields', 'must be left out for the channel chatapp'],
          [intermediate, 'intermediate', 'must be left out for the channel chatapp'],
          [(filters.type?.length ?? 0) > 0, 'filters.type', 'must be left out for the channel chatapp'],
        ];
  const wrong = misplaced.flatMap(([isWrong, field, message]) =>
    isWrong ? [violation(field, 'not_allowed_value', message)] : [],
  );
  return [...foreign, ...wrong];
}

function checkKey(field: string, key: string, seen: ReadonlySet<string>): Violation | undefined {
  const name = key.toLowerCase();
  if (key.length > MAX_KEY_LENGTH)
    return violation(field, 'max_length', `must be at most ${MAX_KEY_LENGTH} characters`);
  if (!TOKEN.test(key)) return violation(field, 'invalid_format', 'must be an HTTP header name');
  if (FORBIDDEN_KEYS.has(name) || name.startsWith('webhook-'))
    return violation(
      field,
      'not_allowed_value',
      `must not be ${key}: Signalbox sets such a header itself, or never sends it`,
    );
  if (seen.has(name)) return violation(field, 'duplicate_item', 'must not repeat another key, in any case');
  return undefined;
}

function checkValue(field: string, value: string): Violation | undefined {
  if (TEMPLATES.has(value)) return undefined;
  return violation(field, 'not_allowed_value', `must be exactly one of ${[...TEMPLATES].join(', ')}`);
}

/** Invisible characters, and the backslash, which a URL parser takes for a slash. */
const UNSAFE_CHARACTER = /[^!-[\]-~\u{a1}-\u{10ffff}]|\s/u;
const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

function checkText(endPoint: string): Violation | undefined {
  if (longerThan(endPoint, MAX_END_POINT_LENGTH))
    return endPointViolation('max_length', `must be at most ${MAX_END_POINT_LENGTH} characters`);
  if (UNSAFE_CHARACTER.test(endPoint) || !endPoint.isWellFormed()) {
    return endPointViolation('invalid_character', 'must not hold spaces, control characters or backslashes');
  }
  const authority = AUTHORITY.exec(endPoint)?.[1];
  if (authority === undefined)
    return endPointViolation('invalid_format', 'must be an http or https URL with a host');
  if (authority.includes('@'))
    return endPointViolation('url_user_info', 'must not hold a user name or password');
  return undefined;
}

function checkUrl(target: PushShape): Violation | undefined {
  const url = URL.parse(target.endPoint);
  if (url === null) return endPointViolation('invalid_format', 'must be an http or https URL with a host');
  if (!isAllowedPort(url))
    return endPointViolation('url_port', 'must use port 80, 443, or 1024 and above, and no database port');
  return target.method === 'GET' ? checkQuery(target, url) : undefined;
}

function isAllowedPort({ port }: URL): boolean {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) >= 1024 && !DATABASE_PORTS.has(Number(port));
}

function checkQuery(target: PushShape, url: URL): Violation | undefined {
  if (url.href.length - url.hash.length > MAX_GET_END_POINT_BYTES) {
    return endPointViolation('max_length', `must be at most ${MAX_GET_END_POINT_BYTES} bytes with GET`);
  }
  const reserved = sentFields(target).find((name) => url.searchParams.has(name));
  return (
    reserved &&
    endPointViolation('reserved_parameter', `must not hold the parameter ${reserved}, which is the report's`)
  );
}

function longerThan(text: string, maxCharacters: number): boolean {
  return text.length > maxCharacters && (text.length > 2 * maxCharacters || [...text].length > maxCharacters);
}

function endPointViolation(rule: Rule, message: string): Violation {
  return violation('endPoint', rule, message);
}
