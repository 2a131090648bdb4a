import { createHash, createHmac } from 'node:crypto';
import { getOrInsert } from '@signalbox/domain/get-or-insert';
import type { CallbackRequest } from '../callback-format.ts';
import { isEqual } from '../is-equal.ts';
import type { SignatureSettings } from './callback-settings.ts';
import { looksLikeJson, parseJson } from './parse-body.ts';
import { verifyToken } from './signed-token.ts';
import { urlSpellings } from './url-spellings.ts';

/** Checks the signature of a callback. */
export type VerifySignature = (request: CallbackRequest) => boolean;

const PARTS = ['url', 'urlWithoutQuery', 'form', 'parameters', 'body', 'bodySha256'] as const;
const PART = new RegExp(`^(${PARTS.join('|')}|header:[\\w-]+|text:.*)$`, 's');

/** Fields of a form that are read before its signature is known to be right. */
const MAX_FIELDS = 1_000;

/** Bytes of a form that is read before its signature is known to be right. */
const MAX_FORM_BYTES = 256 * 1024;

/** Bytes of a JSON body whose parameters are read before its signature is known to be right. */
const MAX_JSON_BYTES = 16_384;

interface SignedRequest extends CallbackRequest {
  /** Empty unless the signature, or what it signs, is among them. */
  parameters: ReadonlyMap<string, string>;
}

/** Lists the parts that do not exist. */
export function listUnknownParts({ parts = [] }: SignatureSettings): string[] {
  return parts.filter((part) => !PART.test(part));
}

/** Compiles the check of a vendor's signature. */
export function compileSignature(settings: SignatureSettings, secret: string): VerifySignature {
  if (settings.type === 'jwt') return (request) => verifyToken(request, settings, secret);
  const readsParameters = settings.parameter !== undefined || settings.parts?.includes('parameters') === true;
  return (request) => {
    if (isTooLarge(request, readsParameters)) return false;
    const parameters = readsParameters ? parametersOf(request) : new Map<string, string>();
    const signed = { ...request, parameters };
    const given = readSignature(signed, settings);
    return (
      given !== undefined &&
      urlSpellings(request.url).some((url) => isEqual(given, sign({ ...signed, url }, settings, secret))) &&
      hasRightBodyHash(request, settings.bodyHashParameter)
    );
  };
}

function readSignature(request: SignedRequest, settings: SignatureSettings): string | undefined {
  const { parameter, header = '', prefix = '', encoding = 'hex' } = settings;
  const found =
    parameter === undefined ? request.headers[header.toLowerCase()] : request.parameters.get(parameter);
  const text = Array.isArray(found) ? found[0] : found;
  if (text === undefined || text === null || !text.startsWith(prefix)) return undefined;
  const bare = text.slice(prefix.length);
  return encoding === 'hex' ? bare.toLowerCase() : bare;
}

function sign(request: SignedRequest, settings: SignatureSettings, secret: string): string {
  const { type, algorithm = 'sha256', encoding = 'hex', parts = ['body'] } = settings;
  const content = Buffer.concat(parts.map((part) => partOf(part, request, settings.parameter)));
  return type === 'hash'
    ? createHash(algorithm).update(content).update(secret).digest(encoding)
    : createHmac(algorithm, secret).update(content).digest(encoding);
}

function partOf(part: string, request: SignedRequest, parameter: string | undefined): Buffer {
  if (part.startsWith('text:')) return Buffer.from(part.slice(5));
  if (part.startsWith('header:'))
    return Buffer.from(String(request.headers[part.slice(7).toLowerCase()] ?? ''));
  switch (part) {
    case 'url':
      return Buffer.from(request.url);
    case 'urlWithoutQuery':
      return Buffer.from(request.url.replace(/\?.*$/s, ''));
    case 'form':
      return Buffer.from(sortedForm(request));
    case 'parameters':
      return Buffer.from(sortedParameters(request.parameters, parameter));
    case 'bodySha256':
      return createHash('sha256').update(request.body).digest();
    default:
      return request.body;
  }
}

function isForm({ headers }: CallbackRequest): boolean {
  return /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '');
}

/** True for a body that takes too long to read for a caller whose signature may be wrong. */
function isTooLarge(request: CallbackRequest, readsParameters: boolean): boolean {
  const { body } = request;
  const isJson = looksLikeJson(body.toString());
  if (isJson && readsParameters && body.length > MAX_JSON_BYTES) return true;
  if (isJson && !isForm(request)) return false;
  if (body.length > MAX_FORM_BYTES) return true;
  let fields = 1;
  for (let at = body.indexOf('&'); at >= 0 && fields <= MAX_FIELDS; at = body.indexOf('&', at + 1))
    fields += 1;
  return fields > MAX_FIELDS;
}

/** Joins names and values of a form, sorted by name; equal values of a name count once. */
function sortedForm(request: CallbackRequest): string {
  if (!isForm(request)) return '';
  const valuesOf = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(request.body.toString()))
    getOrInsert(valuesOf, name, () => new Set<string>()).add(value);
  return [...valuesOf.keys()]
    .toSorted()
    .flatMap((name) => [...valuesOf.get(name)!].toSorted().map((value) => name + value))
    .join('');
}

/** Joins `&name=value` of all parameters but the signature, sorted by name; `&` and `=` in values become `_`. */
function sortedParameters(parameters: ReadonlyMap<string, string>, signature: string | undefined): string {
  return [...parameters]
    .filter(([name]) => name !== signature && !OWN_PARAMETERS.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, value]) => `&${name}=${value.replace(/[&=]/g, '_')}`)
    .join('');
}

/** Parameters that Signalbox adds to the addresses of callbacks. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(['ref', 'sig', 'key']);

/**
 * Lists the parameters as the callback is read, whatever its content type: those of the body before those of the
 * address, and the first of several with one name. What is read beyond them would be vouched for by nobody.
 */
function parametersOf({ query, body }: CallbackRequest): Map<string, string> {
  const text = body.toString();
  const own = looksLikeJson(text) ? jsonParameters(text) : new URLSearchParams(text);
  const parameters = new Map<string, string>();
  for (const [name, value] of [...own, ...query]) getOrInsert(parameters, name, () => value);
  return parameters;
}

function jsonParameters(text: string): [string, string][] {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, each]: [string, unknown]) => [
    name,
    typeof each === 'string' ? each : JSON.stringify(each),
  ]);
}

function hasRightBodyHash({ query, body }: CallbackRequest, parameter: string | undefined): boolean {
  const given = parameter === undefined ? null : query.get(parameter);
  return given === null || isEqual(given.toLowerCase(), createHash('sha256').update(body).digest('hex'));
}
