import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { listUsableConfigs } from '@signalbox/database/verify/configs';
import { countSuspicions } from '@signalbox/database/verify/conversions';
import { DEFAULT_POLICY, listPolicies } from '@signalbox/database/verify/policies';
import { type Quota, lockQuotas, saveQuotas } from '@signalbox/database/verify/quotas';
import { findCodeTemplates } from '@signalbox/database/verify/templates';
import {
  type FirstVerification,
  type NewVerification,
  type NumberState,
  lockNumbers,
  insertVerifications,
  listFirstVerifications,
  saveSends,
} from '@signalbox/database/verify/verifications';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { KeyedCall } from '../http/idempotency.ts';
import { UUID } from '../http/uuid.ts';
import { type Judgement, blocked, judgeTraffic } from './fraud-judge.ts';
import {
  type Candidate,
  charge,
  chargesOf,
  isTestNumber,
  recordSend,
  refusalByHistory,
  refusalByNumber,
} from './send-rules.ts';

/** One call of POST /v1/verify. */
export interface SendCall {
  id: string;
  caller: KeyHolder;
  configId: string;
  recipient: string;
  country: string;
  idempotency: KeyedCall | null;
}

/** What became of a call: stored under its id, refused, or known as the repeat of an earlier one. */
export type SendOutcome =
  | { result: 'stored' }
  | { result: 'refused'; error: ApiError }
  | { result: 'repeated'; first: FirstVerification };

export const VERIFY_PATH = '/v1/verify';

/**
 * Decides a batch of calls in one transaction and a constant number of statements. It holds the rows of their numbers, then those of their
 * accounts' quotas: calls that share any of these are decided one after the other, in whichever process they came.
 */
export class SendRound {
  private readonly outcomes = new Map<SendCall, SendOutcome>();
  private numbers = new Map<string, NumberState>();

  constructor(
    private readonly db: EntityManager,
    private readonly calls: SendCall[],
  ) {}

  /** @returns one outcome per call, in order */
  async run(): Promise<SendOutcome[]> {
    const held = await lockNumbers(
      this.db,
      this.calls.map(({ caller, recipient }) => ({ accountId: caller.accountId, recipient })),
    );
    this.numbers = new Map(held.map((number) => [`${number.accountId} ${number.recipient}`, number]));
    await this.findRepeats();
    const candidates = await this.findCandidates();
    const judgements = await judgeTraffic(this.db, candidates);
    for (const [candidate, judgement] of judgements) {
      if (judgement.suspicion.action === 'blocked') this.refuse(candidate.call, blocked(judgement));
    }
    await this.send(this.undecided(candidates), judgements);
    await countSuspicions(
      this.db,
      Array.from(judgements.values(), ({ suspicion }) => suspicion),
    );
    return this.calls.map((call) => this.outcomes.get(call) ?? { result: 'stored' });
  }

  private async findRepeats(): Promise<void> {
    const keyed = this.calls.flatMap((call) =>
      call.idempotency ? [{ call, accountId: call.caller.accountId, key: call.idempotency.key }] : [],
    );
    if (keyed.length === 0) return;
    const firsts = await listFirstVerifications(this.db, VERIFY_PATH, keyed);
    for (const { call, accountId, key } of keyed) {
      const first = firsts.find((each) => each.accountId === accountId && each.key === key);
      if (first) this.outcomes.set(call, { result: 'repeated', first });
    }
  }

  /** The calls that may be served as far as their configuration, their number and its country tell. */
  private async findCandidates(): Promise<Candidate[]> {
    const calls = this.calls.filter((call) => !this.outcomes.has(call));
    const configs = new Map(
      (
        await listUsableConfigs(
          this.db,
          calls.map(({ configId }) => configId).filter((id) => UUID.test(id)),
        )
      ).map((each) => [each.id, each]),
    );
    const policies = new Map(
      (
        await listPolicies(
          this.db,
          calls.map(({ caller }) => caller.accountId),
        )
      ).map((each) => [each.accountId, each]),
    );
    const candidates = calls.flatMap((call) => {
      const { accountId } = call.caller;
      const config = configs.get(call.configId);
      if (config?.accountId !== accountId)
        return this.refuse(call, new ApiError('verification_config_not_found'));
      const policy = policies.get(accountId) ?? DEFAULT_POLICY;
      return [
        { call, config, policy, isTest: isTestNumber(config, call.recipient, this.numberOf(call).now) },
      ];
    });
    for (const candidate of candidates) {
      const refusal = refusalByNumber(candidate);
      if (refusal) this.refuse(candidate.call, refusal);
    }
    await this.refuseWithoutWay(this.undecided(candidates));
    return this.undecided(candidates);
  }

  /** Refuses calls whose code can go over the chat app only, when its template cannot be sent now. */
  private async refuseWithoutWay(candidates: Candidate[]): Promise<void> {
    const bound = candidates.flatMap(({ call, config: { accountId, flow, template }, isTest }) =>
      template && flow.length === 1 && !isTest ? [{ call, template: { ...template, accountId } }] : [],
    );
    const templates = await findCodeTemplates(
      this.db,
      bound.map(({ template }) => template),
    );
    for (const [i, { call }] of bound.entries()) {
      const template = templates[i];
      if (typeof template === 'string') this.refuse(call, new ApiError(template));
    }
  }

  private async send(candidates: Candidate[], judgements: ReadonlyMap<Candidate, Judgement>): Promise<void> {
    const quotas = await this.lockQuotas(candidates);
    const verifications = candidates.flatMap((candidate) => {
      const number = this.numberOf(candidate.call);
      const quotaOf = ({ quota }: { quota: string }): Quota =>
        found(quotas.get(`${candidate.call.caller.accountId} ${quota}`));
      const refusal =
        refusalByHistory(candidate, number) ?? charge(chargesOf(candidate), quotaOf, number.now);
      if (refusal) return this.refuse(candidate.call, refusal);
      return [
        toVerification(candidate, judgements.get(candidate)?.reason ?? null, recordSend(candidate, number)),
      ];
    });
    await saveSends(this.db, [...this.numbers.values()]);
    if (quotas.size > 0) await saveQuotas(this.db, [...quotas.values()]);
    const stored = verifications.length === 0 ? new Set() : await insertVerifications(this.db, verifications);
    for (const { call } of this.undecided(candidates)) {
      // Its key was taken by a call for another number in this very moment.
      if (!stored.has(call.id)) this.refuse(call, new ApiError('idempotency_in_progress'));
    }
  }

  private async lockQuotas(candidates: Candidate[]): Promise<Map<string, Quota>> {
    const wanted = candidates.flatMap((candidate) =>
      chargesOf(candidate).map(({ quota }) => ({ accountId: candidate.call.caller.accountId, quota })),
    );
    const held = wanted.length === 0 ? [] : await lockQuotas(this.db, wanted);
    return new Map(held.map((quota) => [`${quota.accountId} ${quota.quota}`, quota]));
  }

  private refuse(call: SendCall, error: ApiError): [] {
    this.outcomes.set(call, { result: 'refused', error });
    return [];
  }

  private undecided(candidates: Candidate[]): Candidate[] {
    return candidates.filter(({ call }) => !this.outcomes.has(call));
  }

  private numberOf({ caller, recipient }: SendCall): NumberState {
    return found(this.numbers.get(`${caller.accountId} ${recipient}`));
  }
}

function toVerification(
  { call, config, isTest }: Candidate,
  guardReason: string | null,
  replaces: string | null,
): NewVerification {
  return {
    id: call.id,
    accountId: call.caller.accountId,
    configId: config.id,
    keyId: call.caller.keyId,
    recipient: call.recipient,
    country: call.country,
    isTest,
    maxAttempts: config.maxAttempts,
    ttlSeconds: config.ttlSeconds,
    guardReason,
    idempotency: call.idempotency,
    replaces,
  };
}

function found<T>(held: T | undefined): T {
  if (held === undefined) throw new Error('a row that was held is not there');
  return held;
}
