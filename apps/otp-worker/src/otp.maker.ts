import type { SendableTemplate } from '@signalbox/database/templates/chat-templates';
import {
  type MadeCode,
  type WaitingVerification,
  handOver,
  listWaiting,
} from '@signalbox/database/verify/codes';
import { type NoTemplate, findCodeTemplates } from '@signalbox/database/verify/templates';
import { newOtpCode, otpMac } from '@signalbox/domain/verify/otp-code';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { CodeBells } from './code-bells.ts';
import { planCode } from './code-plan.ts';

/** Jobs that one batch takes on at most. */
const MAX_JOBS = 8;

/** What one batch did, for the log lines of its jobs. */
export interface Made {
  made: number;
  /** Over, replaced, made by another run, or without a way to send it. */
  skipped: number;
}

/** Makes codes. Of a code only a MAC is kept; what carries it travels sealed, and is wiped once it is submitted. */
export class OtpMaker {
  private readonly batches: GroupCommit<string[], Made>;

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly pepper: string,
    private readonly bells: CodeBells,
  ) {
    const flush = async (jobs: string[][]): Promise<Made[]> => {
      const made = await this.make([...new Set(jobs.flat())]);
      return jobs.map(() => made);
    };
    this.batches = new GroupCommit(flush, { maxBatch: MAX_JOBS, maxWaiting: 1_000 });
  }

  /** Makes the codes of a job, with those of jobs that run at the same time. A verification that has its code gets no other. */
  run(verifyIds: string[]): Promise<Made> {
    return this.batches.add(verifyIds);
  }

  private async make(verifyIds: string[]): Promise<Made> {
    const waiting = await listWaiting(this.db, verifyIds);
    const templates = await this.findTemplates(waiting);
    const codes = waiting.map((verification) =>
      this.madeCode(verification, templates.get(verification.configId)),
    );
    const ids = codes.length === 0 ? new Set<string>() : await handOver(this.db, codes);
    const made = codes.filter(({ verifyId, mac }) => mac !== null && ids.has(verifyId));
    this.bells.ring(made.flatMap(({ submission }) => submission ?? []));
    return { made: made.length, skipped: verifyIds.length - made.length };
  }

  /** By configuration; those whose codes go by SMS only have none. */
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

  private madeCode(
    verification: WaitingVerification,
    template: SendableTemplate | NoTemplate | undefined,
  ): MadeCode {
    const { id, accountId, isTest, codeLength, alphabet } = verification;
    const code = isTest ? this.testCode(verification) : newOtpCode(codeLength, alphabet);
    const plan = isTest
      ? { submission: null, steps: [] }
      : planCode(verification, code, template, this.sealer);
    const isSendable = isTest || plan.submission !== null;
    return {
      verifyId: id,
      accountId,
      mac: isSendable ? otpMac(this.pepper, accountId, id, code) : null,
      ...plan,
    };
  }

  /** The code of a test number; one that nobody knows when it was taken off the list meanwhile, or sealed with a key that is gone. */
  private testCode({ testNumbers, recipient, codeLength, alphabet }: WaitingVerification): string {
    const test = testNumbers.find(({ number }) => number === recipient);
    const sealed = test && Buffer.from(test.sealedCode, 'base64');
    return sealed && this.sealer.canOpen(sealed)
      ? this.sealer.open(sealed)
      : newOtpCode(codeLength, alphabet);
  }
}
