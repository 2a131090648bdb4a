import { Injectable } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import type { SendableTemplate } from '@signalbox/database/templates/chat-templates';
import {
  type MadeCode,
  type WaitingVerification,
  storeCodes,
  listWaiting,
} from '@signalbox/database/verify/codes';
import { type NoTemplate, findCodeTemplates } from '@signalbox/database/verify/templates';
import { testNumberRow } from '@signalbox/domain/sealed-rows';
import { newOtpCode, otpMac } from '@signalbox/domain/verify/otp-code';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { type CodePlan, planCode } from './code-plan.ts';
import { OtpWorkerConfig } from './config.ts';
import { enqueueCodes } from './enqueue-codes.ts';

/** Maximum number of jobs whose codes are generated together. */
const MAX_JOBS = 8;

/** The plan for the code of a test number. */
const NOTHING_TO_SEND: CodePlan = { submission: null, steps: [] };

/** Result of a batch, shown in the log lines of its jobs. */
export interface MadeCodes {
  made: number;
  /** Expired, replaced, made by another run, or impossible to send. */
  skipped: number;
}

/**
 * Generates codes and stores their first message. Of a code only a MAC is stored; messages carry it sealed, until they
 * are submitted.
 */
@Injectable()
export class OtpMaker {
  private readonly batches: GroupCommit<string[], MadeCodes>;
  private readonly pepper: string;

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    config: OtpWorkerConfig,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {
    this.pepper = config.OTP_PEPPER.split(',')[0]!;
    const flush = async (jobs: string[][]): Promise<MadeCodes[]> => {
      const made = await this.makeAll([...new Set(jobs.flat())]);
      return jobs.map(() => made);
    };
    this.batches = new GroupCommit(flush, { maxBatch: MAX_JOBS, maxWaiting: 1_000 });
  }

  /**
   * Generates the codes of a job, together with those of concurrent jobs. A verification that has its code gets no
   * other.
   */
  make(verifyIds: string[]): Promise<MadeCodes> {
    return this.batches.add(verifyIds);
  }

  private async makeAll(verifyIds: string[]): Promise<MadeCodes> {
    const waiting = await listWaiting(this.db, verifyIds);
    const templates = await this.findTemplates(waiting);
    const codes = waiting.map((verification) =>
      this.madeCode(verification, templates.get(verification.configId)),
    );
    const ids = await this.storeAll(codes);
    const made = codes.filter(({ verifyId, mac }) => mac !== null && ids.has(verifyId));
    enqueueCodes(
      this.queues,
      made.flatMap(({ submission }) => submission ?? []),
    );
    return { made: made.length, skipped: verifyIds.length - made.length };
  }

  /**
   * Stores codes, without those that the database refuses: their verifications wait, and expire.
   *
   * @returns the verifications that got their code
   */
  private async storeAll(codes: MadeCode[]): Promise<Set<string>> {
    if (codes.length === 0) return new Set();
    const parts: Set<string>[] = [];
    const store = async (part: MadeCode[]): Promise<void> => void parts.push(await storeCodes(this.db, part));
    for (const { item, error } of await bisect(codes, store, isRefusedValue))
      this.logger.error(
        { accountId: item.accountId, verifyId: item.verifyId, error },
        'verification.refused',
      );
    return new Set(parts.flatMap((part) => [...part]));
  }

  /** Maps configurations to their templates; those without a chat-app step have none. */
  private async findTemplates(
    waiting: WaitingVerification[],
  ): Promise<Map<string, SendableTemplate | NoTemplate>> {
    const named = new Map(
      waiting.flatMap(({ configId, accountId, template }) =>
        template ? [[configId, { ...template, accountId }]] : [],
      ),
    );
    const found = await findCodeTemplates(this.db, [...named.values()]);
    return new Map([...named.keys()].flatMap((configId, i) => (found[i] ? [[configId, found[i]]] : [])));
  }

  /** A verification whose configuration is invalid gets no code, and ends as one that cannot be sent. */
  private madeCode(
    verification: WaitingVerification,
    template: SendableTemplate | NoTemplate | undefined,
  ): MadeCode {
    try {
      return this.plannedCode(verification, template);
    } catch (error) {
      const { id, accountId, configId } = verification;
      this.logger.error({ accountId, configId, verifyId: id, error }, 'verification.unplannable');
      return { verifyId: id, accountId, mac: null, submission: null, steps: [] };
    }
  }

  private plannedCode(
    verification: WaitingVerification,
    template: SendableTemplate | NoTemplate | undefined,
  ): MadeCode {
    const { id, accountId, isTest, codeLength, alphabet } = verification;
    const code = isTest ? this.testCode(verification) : newOtpCode(codeLength, alphabet);
    const plan = isTest ? NOTHING_TO_SEND : planCode(verification, code, template, this.sealer);
    const isSendable = isTest || plan.submission !== null;
    return {
      verifyId: id,
      accountId,
      mac: isSendable ? otpMac(this.pepper, accountId, id, code) : null,
      ...plan,
    };
  }

  /**
   * The fixed code of a test number; a random one when the number was removed meanwhile, or its code cannot be opened.
   */
  private testCode(verification: WaitingVerification): string {
    const { testNumbers, recipient, codeLength, alphabet } = verification;
    const test = testNumbers.find(({ number }) => number === recipient);
    return (test && this.openTestCode(verification, test.sealedCode)) ?? newOtpCode(codeLength, alphabet);
  }

  private openTestCode(
    { accountId, configId, recipient }: WaitingVerification,
    sealedCode: string,
  ): string | undefined {
    const row = testNumberRow(accountId, configId, recipient);
    const code = this.sealer.tryOpen(Buffer.from(sealedCode, 'base64'), row);
    if (code === undefined) this.logger.error({ accountId, configId }, 'verification.test_code_unreadable');
    return code;
  }
}
