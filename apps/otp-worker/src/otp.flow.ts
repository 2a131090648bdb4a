import { claimSteps } from '@signalbox/database/verify/steps';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import type { CodeBells } from './code-bells.ts';

/** How much one pass does: so many looks, each at so many steps before their time, and at as many whose time has come. */
const LOOKS = { most: 10, steps: 1_000 };

/**
 * Takes codes on to the next step of their flow, or stops them there. A look decides in one transaction: killed before its end it has done
 * nothing, and one after it finds nothing left to do. With more steps waiting than a pass looks at, the next one goes on where it ended.
 */
export class OtpFlow {
  private after: string | null = null;

  constructor(
    private readonly db: EntityManager,
    private readonly bells: CodeBells,
    private readonly logger: Logger,
    private readonly looks = LOOKS,
  ) {}

  async pass(): Promise<void> {
    for (let look = 0; look < this.looks.most; look += 1) {
      await this.look();
      if (this.after === null) return;
    }
  }

  private async look(): Promise<void> {
    const { sent, stopped, next } = await claimSteps(this.db, this.after, this.looks.steps);
    this.after = next;
    this.bells.ring(sent);
    if (sent.length + stopped > 0)
      this.logger.info({ sent: sent.length, stopped }, 'verification.steps_taken');
  }
}
