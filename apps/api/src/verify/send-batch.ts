import { listUsableConfigs } from '@signalbox/database/verify/configs';
import { type Suspicion, countSuspicions } from '@signalbox/database/verify/conversions';
import { DEFAULT_POLICY, listPolicies } from '@signalbox/database/verify/policies';
import { type Quota, lockQuotas, saveQuotas } from '@signalbox/database/verify/quotas';
import { findCodeTemplates } from '@signalbox/database/verify/templates';
import {
  type NewVerification,
  type NumberState,
  insertVerifications,
  listFirstVerifications,
  lockNumbers,
  saveSends,
} from '@signalbox/database/verify/verifications';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { UUID } from '../http/uuid.ts';
import { FindingsMissing, type Judgement, blocked, judgeTraffic } from './fraud-judge.ts';
import { BatchFindings, type FindingsLookup } from './guard-findings.ts';
import { type Candidate, type SendCall, type SendOutcome, VERIFY_PATH } from './send-call.ts';
import {
  type PlacedCharge,
  chargedQuota,
  chargesOf,
  damaged,
  isSound,
  isTestNumber,
  refusalByHistory,
  refusalByNumber,
  refusalByQuota,
  replacedBy,
  withSend,
} from './send-rules.ts';

/** Thrown when another process stored an idempotency key of the batch, for another number, after it was looked up. */
class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/**
 * Decides a batch of calls in one transaction, and again from the beginning after a KeyTaken or a FindingsMissing: the
 * call that lost its key is then a repeat, and leaves no trace at its number and its quotas; the findings are read
 * between the transactions, when no number is locked.
 *
 * @returns one outcome per call, in order
 */
export async function decideSends(
  db: EntityManager,
  calls: SendCall[],
  lookup: FindingsLookup,
): Promise<SendOutcome[]> {
  const findings = new BatchFindings(lookup);
  for (;;) {
    try {
      return await db.transaction((transaction) => new SendBatch(transaction, calls, findings).run());
    } catch (error) {
      if (error instanceof FindingsMissing) await findings.read(error.accounts);
      else if (!(error instanceof KeyTaken)) throw error;
    }
  }
}

/**
 * Decides a batch of calls with a constant number of statements. Locks the rows of the numbers, then those of the
 * quotas: concurrent batches that share a number or a quota are decided one after the other, across processes.
 */
class SendBatch {
  private readonly outcomes = new Map<SendCall, SendOutcome>();
  private readonly numbers = new Map<string, NumberState>();
  private readonly quotas = new Map<string, Quota>();
  /** Quotas that a call was charged to. */
  private readonly charged = new Set<string>();

  constructor(
    private readonly db: EntityManager,
    private readonly calls: SendCall[],
    private readonly findings: BatchFindings,
  ) {}

  /** @returns one outcome per call, in order @throws KeyTaken, FindingsMissing */
  async run(): Promise<SendOutcome[]> {
    await this.lockNumbers();
    await this.findRepeats();
    const candidates = await this.findCandidates();
    const judgements = await judgeTraffic(this.db, candidates, this.findings);
    for (const [candidate, judgement] of judgements) {
      if (judgement.suspicion.action === 'blocked') this.refuse(candidate.call, blocked(judgement));
    }
    await this.send(this.undecided(candidates), judgements);
    await countSuspicions(this.db, this.countedSuspicions(judgements));
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

  /** Calls that are not refused for their configuration, number or country. */
  private async findCandidates(): Promise<Candidate[]> {
    const calls = this.calls.filter((call) => !this.outcomes.has(call));
    const configIds = calls.map(({ configId }) => configId).filter((id) => UUID.test(id));
    const accountIds = calls.map(({ caller }) => caller.accountId);
    const configs = new Map((await listUsableConfigs(this.db, configIds)).map((each) => [each.id, each]));
    const policies = new Map((await listPolicies(this.db, accountIds)).map((each) => [each.accountId, each]));
    const candidates: Candidate[] = [];
    for (const call of calls) {
      const config = configs.get(call.configId);
      if (config?.accountId !== call.caller.accountId) {
        this.refuse(call, new ApiError('verification_config_not_found'));
        continue;
      }
      if (!isSound(config)) {
        this.refuse(call, damaged(config));
        continue;
      }
      const policy = policies.get(call.caller.accountId) ?? DEFAULT_POLICY;
      const isTest = isTestNumber(config, call.recipient, this.numberOf(call).now);
      candidates.push({ call, config, policy, isTest });
    }
    for (const candidate of candidates) {
      const refusal = refusalByNumber(candidate);
      if (refusal) this.refuse(candidate.call, refusal);
    }
    await this.refuseUnsendable(this.undecided(candidates));
    return this.undecided(candidates);
  }

  /** Refuses calls whose code can go over the chat app only, while its template cannot be sent. */
  private async refuseUnsendable(candidates: Candidate[]): Promise<void> {
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
    await this.lockQuotas(candidates);
    const verifications: NewVerification[] = [];
    for (const candidate of candidates) {
      const number = this.numberOf(candidate.call);
      const charges = this.placedCharges(candidate);
      const refusal = refusalByHistory(candidate, number) ?? refusalByQuota(charges, number.now);
      if (refusal) {
        this.refuse(candidate.call, refusal);
        continue;
      }
      const guardReason = judgements.get(candidate)?.reason ?? null;
      verifications.push(toVerification(candidate, guardReason, replacedBy(candidate, number)));
      this.numbers.set(keyOf(number), withSend(candidate, number));
      for (const each of charges) this.charge(each, number.now);
    }
    await this.save(verifications);
    if (verifications.length === 0) return;
    const stored = await insertVerifications(this.db, verifications);
    if (stored.size < verifications.length) throw new KeyTaken();
  }

  /** Saves the numbers and quotas that a call changed, and deletes the rows of numbers that got no code. */
  private async save(verifications: NewVerification[]): Promise<void> {
    const changed = new Set(verifications.map(keyOf));
    const numbers = [...this.numbers].filter(([key, { sends }]) => changed.has(key) || sends.length === 0);
    if (numbers.length > 0)
      await saveSends(
        this.db,
        numbers.map(([, number]) => number),
      );
    const quotas = Array.from(this.charged, (key) => required(this.quotas.get(key)));
    if (quotas.length > 0) await saveQuotas(this.db, quotas);
  }

  /** The suspicions of calls that were blocked or sent: a flagged one that a limit refuses is not counted. */
  private countedSuspicions(judgements: ReadonlyMap<Candidate, Judgement>): Suspicion[] {
    return [...judgements].flatMap(([{ call }, { suspicion }]) =>
      suspicion.action === 'blocked' || !this.outcomes.has(call) ? [suspicion] : [],
    );
  }

  private charge(placed: PlacedCharge, now: number): void {
    const key = quotaKey(placed.quota);
    this.quotas.set(key, chargedQuota(placed, now));
    this.charged.add(key);
  }

  private async lockNumbers(): Promise<void> {
    const wanted = this.calls.map(({ caller, recipient }) => ({ accountId: caller.accountId, recipient }));
    for (const number of await lockNumbers(this.db, wanted)) this.numbers.set(keyOf(number), number);
  }

  private async lockQuotas(candidates: Candidate[]): Promise<void> {
    const wanted = candidates.flatMap((candidate) =>
      chargesOf(candidate).map(({ quota }) => ({ accountId: candidate.call.caller.accountId, quota })),
    );
    if (wanted.length === 0) return;
    for (const quota of await lockQuotas(this.db, wanted)) this.quotas.set(quotaKey(quota), quota);
  }

  private placedCharges(candidate: Candidate): PlacedCharge[] {
    const { accountId } = candidate.call.caller;
    return chargesOf(candidate).map((charge) => ({
      charge,
      quota: required(this.quotas.get(quotaKey({ accountId, quota: charge.quota }))),
    }));
  }

  private refuse(call: SendCall, error: ApiError): void {
    this.outcomes.set(call, { result: 'refused', error });
  }

  private undecided(candidates: Candidate[]): Candidate[] {
    return candidates.filter(({ call }) => !this.outcomes.has(call));
  }

  private numberOf({ caller, recipient }: SendCall): NumberState {
    return required(this.numbers.get(keyOf({ accountId: caller.accountId, recipient })));
  }
}

function keyOf({ accountId, recipient }: Pick<NumberState, 'accountId' | 'recipient'>): string {
  return `${accountId} ${recipient}`;
}

function quotaKey({ accountId, quota }: Pick<Quota, 'accountId' | 'quota'>): string {
  return `${accountId} ${quota}`;
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

function required<T>(locked: T | undefined): T {
  if (locked === undefined) throw new Error('a locked row is missing');
  return locked;
}
