import { isObject } from '@signalbox/domain/is-object';
import type { CallbackFormat, CallbackRequest, ReadCallback } from '../callback-format.ts';
import type { CallbackSettings } from './callback-settings.ts';
import { hasKey, hasSignedReference, queryToKeep } from './callback-urls.ts';
import type { Entry } from './entry.ts';
import { InboundReader } from './inbound-reader.ts';
import { looksLikeJson, parseForm, parseJson } from './parse-body.ts';
import { ReportReader } from './report-reader.ts';
import { type VerifySignature, compileSignature } from './signature.ts';

const MAX_PROBLEMS = 5;

/** Secrets of a gateway's callbacks; undefined for one that was not given. */
export interface CallbackSecrets {
  /** Verifies the vendor's signature. */
  vendor: string | undefined;
  /** Key of the MAC of a message id in the address. */
  mac: string | undefined;
  /** The `key` of an address. */
  key: string | undefined;
}

/** The callbacks of one HTTP gateway. The stored bytes are the query of the address, a line end, and the body. */
export class HttpCallbacks implements CallbackFormat {
  readonly answer?: { status: number; contentType: string; body: string };
  private readonly signature: VerifySignature | undefined;
  private readonly reports: ReportReader | undefined;
  private readonly inbound: InboundReader | undefined;

  /** @throws SourceError for an unusable path */
  constructor(
    private readonly gateway: string,
    private readonly settings: CallbackSettings,
    private readonly secrets: CallbackSecrets,
    errors: Readonly<Record<string, string>>,
  ) {
    const { respond, signature, reports, inbound } = settings;
    if (respond) this.answer = respond;
    this.signature = isSigned(settings) ? compileSignature(signature!, secrets.vendor ?? '') : undefined;
    this.reports = reports && new ReportReader(reports, errors);
    this.inbound = inbound && new InboundReader(inbound);
  }

  /**
   * Requires the MAC of the message wherever the address names one: neither the secret in an address nor every
   * signature covers it. Requires the vendor's signature if it signs, else the MAC or the secret.
   */
  verify(request: CallbackRequest): boolean {
    const { mac, key, vendor } = this.secrets;
    const isOurs = mac !== undefined && hasSignedReference(request, this.gateway, mac);
    if (!isOurs && request.query.has('ref')) return false;
    if (isSigned(this.settings)) return vendor !== undefined && this.signature?.(request) === true;
    return isOurs || (key !== undefined && hasKey(request, key));
  }

  keep(request: CallbackRequest): Buffer {
    return Buffer.concat([Buffer.from(`${queryToKeep(request)}\n`), request.body]);
  }

  read(stored: Buffer): ReadCallback {
    const end = stored.indexOf('\n');
    const query = parseForm(stored.toString('latin1', 0, Math.max(end, 0)));
    const content = this.decode(stored.toString('utf8', end + 1), query);
    if (content === undefined) return { reports: [], inbound: [], problem: 'The body cannot be decoded.' };
    return this.readContent(content, query);
  }

  private readContent(content: unknown, query: Record<string, string>): ReadCallback {
    const entries = this.reportEntries(content, query);
    if (entries.length === 0) return this.readInbound(content, query);
    const readings = entries.map((entry) => this.reports!.read(entry, query['ref']));
    const unresolved = readings.flatMap((each) => ('unresolved' in each ? [each.unresolved] : []));
    return {
      reports: readings.flatMap((each) => ('report' in each ? [each.report] : [])),
      inbound: [],
      problem: problemOf(readings.flatMap((each) => ('problem' in each ? [each.problem] : []))),
      ...(unresolved.length > 0 && { unresolved }),
    };
  }

  private reportEntries(content: unknown, query: Record<string, string>): Entry[] {
    const { reports } = this;
    return reports ? reports.list(content, query).filter((entry) => reports.isReport(entry)) : [];
  }

  /** The MAC of a message vouches for its reports alone. */
  private readInbound(content: unknown, query: Record<string, string>): ReadCallback {
    const reader = query['ref'] === undefined ? this.inbound : undefined;
    const messages = reader?.list(content, query).map((entry) => reader.read(entry)) ?? [undefined];
    return {
      reports: [],
      inbound: messages.filter((message) => message !== undefined),
      problem: messages.includes(undefined) ? 'An entry is neither a report nor a message.' : null,
    };
  }

  private decode(body: string, query: Record<string, string>): unknown {
    const { decode = 'auto', jsonField } = this.settings;
    const content = decodeAs(decode, body, query);
    if (jsonField === undefined || !isObject(content)) return content;
    const text = content[jsonField];
    if (text === undefined) return content;
    return typeof text === 'string' ? parseJson(text) : undefined;
  }
}

/** Joins problems, each once; null for none. */
function problemOf(problems: readonly string[]): string | null {
  return [...new Set(problems)].slice(0, MAX_PROBLEMS).join(' ') || null;
}

/** Is true when the vendor signs its callbacks. */
export function isSigned({ signature }: CallbackSettings): boolean {
  return signature !== undefined && signature.type !== 'url';
}

function decodeAs(
  decode: NonNullable<CallbackSettings['decode']>,
  body: string,
  query: Record<string, string>,
): unknown {
  if (decode === 'query') return query;
  if (decode === 'form') return parseForm(body);
  if (decode === 'json') return parseJson(body);
  if (body.trim() === '') return query;
  return looksLikeJson(body) ? parseJson(body) : parseForm(body);
}
