import { randomUUIDv7 } from 'node:crypto';
import type { NewSubmission } from '@signalbox/database/submissions';
import { type MadeCode, type WaitingVerification, handOver, listWaiting } from '@signalbox/database/verification-codes';
import { newOtpCode, otpMac } from '@signalbox/domain/otp-code';
import { otpSize, renderOtpText } from '@signalbox/domain/otp-text';
import type { Bell } from '@signalbox/runtime/bell';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** Jobs that one batch takes on at most. */
const MAX_JOBS = 8;

/** What one batch did, for the log lines of its jobs. */
export interface Made {
  made: number;
  /** Over, replaced, or made by another run. */
  skipped: number;
}

/** Makes codes. Of a code only a MAC is kept; its text travels sealed, and is wiped once it is submitted. */
export class OtpMaker {
  private readonly batches: GroupCommit<string[], Made>;

  /** @param bell rings the SMS lane of codes */
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly pepper: string,
    private readonly bell: Bell,
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
    const codes = waiting.map((verification) => this.madeCode(verification));
    const taken = codes.length === 0 ? new Set<string>() : await handOver(this.db, codes);
    this.bell.ring(codes.flatMap(({ verifyId, submission }) => (submission && taken.has(verifyId) ? [submission.id] : [])));
    return { made: taken.size, skipped: verifyIds.length - taken.size };
  }

  private madeCode(verification: WaitingVerification): MadeCode {
    const { id, accountId, isTest, codeLength, alphabet } = verification;
    const code = isTest ? this.testCode(verification) : newOtpCode(codeLength, alphabet);
    return { verifyId: id, mac: otpMac(this.pepper, accountId, id, code), submission: isTest ? null : this.submission(verification, code) };
  }

  /** The code of a test number; one that nobody knows when it was taken off the list meanwhile, or sealed with a key that is gone. */
  private testCode({ testNumbers, recipient, codeLength, alphabet }: WaitingVerification): string {
    const test = testNumbers.find(({ number }) => number === recipient);
    const sealed = test && Buffer.from(test.sealedCode, 'base64');
    return sealed && this.sealer.canOpen(sealed) ? this.sealer.open(sealed) : newOtpCode(codeLength, alphabet);
  }

  /** The SMS ends with its code: one that could only come late is not sent. */
  private submission(verification: WaitingVerification, code: string): NewSubmission {
    const { accountId, sender, recipient, expiresAt, codeLength } = verification;
    return {
      id: randomUUIDv7(),
      accountId,
      channel: 'sms',
      kind: 'text',
      lane: 'OTP',
      sender,
      content: { unicode: false, flash: false },
      sealed: this.sealer.seal(renderOtpText(verification, code)),
      recipients: [recipient],
      custom: null,
      credits: otpSize(verification, codeLength).parts,
      creditsEach: null,
      campaign: null,
      clientRef: null,
      sendAt: null,
      expiresAt,
      ratePerSecond: null,
      waits: false,
      idempotency: null,
    };
  }
}
