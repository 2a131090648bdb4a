import type { SubmitOutcome, ThrottleScope } from '@signalbox/domain/routing/submit-outcome';
import { MAX_GATEWAY_ID } from '../gateway-ids.ts';
import { FAULT_WAITS_MS } from '../refusal-counter.ts';
import type { AnswerSettings, OutcomeRule } from './answer-settings.ts';
import type { ExpandedSettings } from './expand.ts';
import { parseJson } from './parse-body.ts';
import type { SettingProblem } from './request-plan.ts';
import { type ReadBody, type Source, SourceError, compilePattern, compileSource } from './source.ts';

/** An HTTP answer as it was received. */
export interface HttpAnswer {
  status: number;
  body: string;
  /** The wait that the header Retry-After requests. */
  retryAfterSeconds?: number;
}

/** The meaning of an answer, with its consequence for the gateway as a whole. */
export interface AnswerMeaning {
  outcome: AnswerOutcome;
  /** Explains why the gateway takes nothing until an operator has changed something. */
  down?: string;
}

type WithoutId<Outcome> = Outcome extends unknown ? Omit<Outcome, 'messageId'> : never;
type WideScope = Exclude<ThrottleScope, 'message'>;
/** The outcome of a submit, without the message that the answer does not name. */
export type AnswerOutcome = WithoutId<SubmitOutcome>;

/** Reads answers. `countFault` counts a passing fault of the message, and returns how many it has met by now. */
export type ReadAnswer = (answer: HttpAnswer, countFault: () => number) => AnswerMeaning;

/** Waits by scope, where the vendor names none. A sender whose queue at the vendor is full stays so for long. */
const DEFAULT_WAIT_MS = { gateway: 1_000, sender: 60_000, pair: 60_000 };
/** A vendor that asks for no wait would be called without a pause. */
const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 3_600_000;
const DOWN_WAIT_MS = 30_000;
const MAX_DESCRIPTION = 500;

/** errCodes of refusals that say nothing about other gateways: fault of the vendor, sender, route, credit, kind. */
const TRY_OTHER: ReadonlySet<string> = new Set(['006', '007', '011', '012', '014']);

/** Statuses of requests that the vendor did not take: they came too slowly, too early or too often. */
const NOT_TAKEN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Statuses that mean, unless the body says otherwise, that the settings are wrong and not the message. */
const MISCONFIGURED: Readonly<Record<number, string>> = {
  401: 'refuses the credentials: correct the secrets or the user',
  403: 'refuses the credentials, or this machine: correct the secrets, or allow its address at the vendor',
  404: 'does not know the address: correct the settings of the request',
  405: 'does not know the method: correct request.method',
  407: 'is behind a proxy that wants credentials: correct the address',
};

/** Compiles the reading of answers. @param note called with each problem of the settings */
export function compileAnswers(
  { answer, answerErrors }: ExpandedSettings,
  note: (problem: SettingProblem) => void,
): ReadAnswer {
  const reader = new AnswerReader(answer, answerErrors, note);
  return (given, countFault) => reader.read(given, countFault);
}

class AnswerReader {
  private readonly rules: { rule: OutcomeRule; matches: (text: string) => boolean }[];
  private readonly sources: Record<'success' | 'id' | 'errorCode' | 'description' | 'retryAfter', Source>;

  constructor(
    private readonly settings: AnswerSettings,
    private readonly errors: Readonly<Record<string, string>>,
    note: (problem: SettingProblem) => void,
  ) {
    const source = (field: string, text: string | undefined): Source =>
      text === undefined ? () => [] : guarded(() => compileSource(text), `answer.${field}`, note);
    this.sources = {
      success: source('success.source', settings.success?.source),
      id: source('id', settings.id),
      errorCode: source('errorCode', settings.errorCode),
      description: source('description', settings.description),
      retryAfter: source('retryAfter.source', settings.retryAfter?.source),
    };
    this.rules = (settings.rules ?? []).map((rule, i) => {
      const { pattern } = rule;
      const find =
        pattern === undefined
          ? undefined
          : guarded(() => compilePattern(pattern), `answer.rules[${i}].pattern`, note);
      return { rule, matches: (text) => find === undefined || find(text).length > 0 };
    });
  }

  /** Rules, then success, then codes, then the status decide, in this order. */
  read(answer: HttpAnswer, countFault: () => number): AnswerMeaning {
    const body: ReadBody = { text: answer.body, value: parseJson(answer.body) };
    const rule = this.rules.find(
      ({ rule: { status }, matches }) => (status?.includes(answer.status) ?? true) && matches(answer.body),
    );
    if (rule) return this.byRule(rule.rule, answer, body);
    const successes = this.countSuccesses(answer, body);
    if (successes === 'all') return this.accepted(body);
    if (successes === 'some') return { outcome: { result: 'unconfirmed' } };
    const code = this.failureCode(body);
    return code === undefined ? this.byStatus(answer, body) : this.byCode(code, answer, body, countFault);
  }

  private byRule(
    { result, errCode = '099' }: OutcomeRule,
    answer: HttpAnswer,
    body: ReadBody,
  ): AnswerMeaning {
    switch (result) {
      case 'accepted':
        return this.accepted(body);
      case 'unconfirmed':
        return { outcome: { result: 'unconfirmed' } };
      case 'throttled':
        return this.throttled(answer, body);
      case 'down':
        return this.down(this.misconfigured(answer.status) ?? this.describe(answer, body), answer);
      case 'rejected':
        return this.rejected(errCode, this.sources.errorCode(body)[0], answer, body);
      default:
        return result satisfies never;
    }
  }

  private byCode(code: string, answer: HttpAnswer, body: ReadBody, countFault: () => number): AnswerMeaning {
    const { temporary = [], down = [] } = this.settings;
    const scope = this.throttledScope(code);
    if (scope !== undefined) return this.throttled(answer, body, scope);
    if (down.includes(code))
      return this.down(`refuses all messages with ${this.describe(answer, body, code)}`, answer);
    if (temporary.includes(code)) return this.fault(countFault(), code, answer, body);
    const known = Object.hasOwn(this.errors, code) ? this.errors[code] : undefined;
    if (known !== undefined) return this.rejected(known, code, answer, body);
    return this.byStatus(answer, body, code);
  }

  private fault(count: number, code: string, answer: HttpAnswer, body: ReadBody): AnswerMeaning {
    const leastMs = FAULT_WAITS_MS[count - 1];
    if (leastMs === undefined) return this.rejected('006', code, answer, body);
    const retryAfterMs = Math.max(leastMs, this.waitMs(answer, body, leastMs));
    const reason = this.describe(answer, body, code);
    return { outcome: { result: 'throttled', scope: 'message', retryAfterMs, reason, isFault: true } };
  }

  private throttledScope(code: string): WideScope | undefined {
    const { throttled, throttledSenders, throttledPairs } = this.settings;
    if (throttled?.includes(code)) return 'gateway';
    if (throttledSenders?.includes(code)) return 'sender';
    return throttledPairs?.includes(code) ? 'pair' : undefined;
  }

  /** Decides an answer whose code, if any, has no entry. A refusal needs a 4xx: after a 5xx nothing is known. */
  private byStatus(answer: HttpAnswer, body: ReadBody, code?: string): AnswerMeaning {
    const { status } = answer;
    if (NOT_TAKEN.has(status) || (status === 503 && answer.retryAfterSeconds !== undefined))
      return this.throttled(answer, body);
    if (status >= 300 && status < 400)
      return this.down('redirects, which is not followed: set the address that it redirects to', answer);
    const wrong = this.misconfigured(status);
    if (wrong !== undefined) return this.down(wrong, answer);
    if (status >= 500 || (status < 300 && code === undefined)) return { outcome: { result: 'unconfirmed' } };
    return this.rejected('099', code ?? String(status), answer, body);
  }

  private countSuccesses({ status }: HttpAnswer, body: ReadBody): 'all' | 'some' | 'none' {
    const { status: statuses, source, equals } = this.settings.success ?? {};
    if (!(statuses?.includes(status) ?? (status >= 200 && status < 300))) return 'none';
    if (source === undefined)
      return this.settings.id !== undefined && this.ids(body).length === 0 ? 'none' : 'all';
    const values = this.sources.success(body);
    const right = values.filter((value) => equals === undefined || equals.includes(value)).length;
    if (right === 0) return 'none';
    return right === values.length ? 'all' : 'some';
  }

  /** Finds the first code that does not mean success: with several segments, the first may be fine. */
  private failureCode(body: ReadBody): string | undefined {
    const { equals = [], source } = this.settings.success ?? {};
    const isSuccess = (code: string): boolean => source === this.settings.errorCode && equals.includes(code);
    return this.sources.errorCode(body).find((code) => code !== '' && !isSuccess(code));
  }

  private accepted(body: ReadBody): AnswerMeaning {
    return { outcome: { result: 'accepted', gatewayMessageIds: this.ids(body) } };
  }

  private ids(body: ReadBody): string[] {
    return this.sources.id(body).filter((id) => id !== '' && id.length <= MAX_GATEWAY_ID);
  }

  private throttled(answer: HttpAnswer, body: ReadBody, scope: WideScope = 'gateway'): AnswerMeaning {
    const reason = this.describe(answer, body);
    const retryAfterMs = this.waitMs(answer, body, DEFAULT_WAIT_MS[scope]);
    return { outcome: { result: 'throttled', scope, retryAfterMs, reason } };
  }

  private down(reason: string, answer: HttpAnswer): AnswerMeaning {
    const retryAfterMs = clampWait((answer.retryAfterSeconds ?? 0) * 1_000, DOWN_WAIT_MS);
    return { outcome: { result: 'throttled', scope: 'gateway', retryAfterMs, reason }, down: reason };
  }

  private rejected(
    errCode: string,
    code: string | undefined,
    answer: HttpAnswer,
    body: ReadBody,
  ): AnswerMeaning {
    const tryOther =
      TRY_OTHER.has(errCode) || (code !== undefined && (this.settings.tryOther?.includes(code) ?? false));
    const description = this.describe(answer, body, code);
    return {
      outcome: {
        result: 'rejected',
        errCode,
        description,
        ...(code !== undefined && { gatewayCode: code.slice(0, 100) }),
        ...(tryOther && { tryOther }),
      },
    };
  }

  private waitMs({ retryAfterSeconds }: HttpAnswer, body: ReadBody, defaultMs: number): number {
    if (retryAfterSeconds !== undefined) return clampWait(retryAfterSeconds * 1_000, MIN_WAIT_MS);
    const [text] = this.sources.retryAfter(body);
    const wait = Number(text) * (this.settings.retryAfter?.unit === 's' ? 1_000 : 1);
    return text === undefined || !Number.isFinite(wait) ? defaultMs : clampWait(wait, MIN_WAIT_MS);
  }

  private describe({ status }: HttpAnswer, body: ReadBody, code?: string): string {
    const [text] = this.sources.description(body);
    const name =
      code === undefined || code === String(status) ? `HTTP ${status}` : `HTTP ${status}, code ${code}`;
    return (text === undefined ? name : `${name}: ${text}`).slice(0, MAX_DESCRIPTION);
  }

  private misconfigured(status: number): string | undefined {
    return Object.hasOwn(MISCONFIGURED, status) ? `${MISCONFIGURED[status]} (HTTP ${status})` : undefined;
  }
}

function clampWait(ms: number, least: number): number {
  return Math.ceil(Math.min(Math.max(ms, least), MAX_WAIT_MS));
}

/** Runs a compilation; notes its problem and returns a source that finds nothing. */
function guarded<Find extends (given: never) => string[]>(
  compile: () => Find,
  field: string,
  note: (problem: SettingProblem) => void,
): Find {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    note({ field, problem: error.message });
    return (() => []) as unknown as Find;
  }
}
