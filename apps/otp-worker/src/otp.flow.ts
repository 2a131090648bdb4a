import { Injectable } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import {
  type StepKey,
  type TakenStep,
  listSteps,
  skipStep,
  takeSteps,
} from '@signalbox/database/verify/steps';
import { stepRow, submissionRow } from '@signalbox/domain/sealed-rows';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { enqueueCodes } from './enqueue-codes.ts';

/** One pass does at most 10 batches, each of at most 1,000 waiting and 1,000 due steps. */
const PASS_LIMITS = { batches: 10, steps: 1_000 };

/** The reason of a step whose stored message Postgres rejects. */
const DAMAGED = 'message_damaged';

/**
 * Sends codes by the next step of their flow when it is due, or stops the flow. A batch is one transaction: a worker
 * killed before its end has changed nothing, and a batch that runs twice finds nothing left to do. Each pass resumes
 * where the previous pass stopped. If Postgres rejects the message of a step, the error is logged and the step skipped.
 */
@Injectable()
export class OtpFlow {
  private after: string | null = null;

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {}

  /** Takes the steps whose time has come, or whose predecessor failed. */
  async pass({ batches, steps } = PASS_LIMITS): Promise<void> {
    for (let batch = 0; batch < batches; batch += 1) {
      await this.takeSteps(steps);
      if (this.after === null) return;
    }
  }

  private async takeSteps(limit: number): Promise<void> {
    const { steps, next } = await listSteps(this.db, this.after, limit);
    const counts = { sent: 0, stopped: 0 };
    const take = async (part: StepKey[]): Promise<void> => {
      const { sent, stopped } = await takeSteps(this.db, part, (step) => this.resealed(step));
      enqueueCodes(this.queues, sent);
      counts.sent += sent.length;
      counts.stopped += stopped;
    };
    const refused = steps.length === 0 ? [] : await bisect(steps, take, isRefusedValue);
    for (const { item, error } of refused) await this.skip(item, error);
    this.after = next;
    if (counts.sent + counts.stopped > 0) this.logger.info(counts, 'verification.steps_taken');
  }

  private async skip(step: StepKey, error: unknown): Promise<void> {
    this.logger.error({ ...step, error }, 'verification.step_refused');
    await skipStep(this.db, step, DAMAGED);
  }

  /**
   * Seals the secret of a step for its submission. One that does not open is left as it is, and parks that submission
   * alone.
   */
  private resealed({ accountId, verifyId, step, submissionId, sealed }: TakenStep): Buffer {
    const secret = this.sealer.tryOpen(sealed, stepRow(accountId, verifyId, step));
    return secret === undefined ? sealed : this.sealer.seal(secret, submissionRow(accountId, submissionId));
  }
}
