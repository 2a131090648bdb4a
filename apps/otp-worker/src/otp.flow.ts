import { takeSteps } from '@signalbox/database/verification-steps';
import type { EntityManager } from 'typeorm';
import type { CodeBells } from './code-bells.ts';

/** The most steps that one pass looks at before their time, and the most that it takes because it has come. */
const BATCH = 2_000;

/**
 * Takes codes on to the next step of their flow, or stops them there. A pass decides in one transaction: killed before its end it has done
 * nothing, and one after it finds nothing left to do. With more steps waiting than a pass looks at, it goes on where the last one ended.
 */
export class OtpFlow {
  private after: string | null = null;

  constructor(
    private readonly db: EntityManager,
    private readonly bells: CodeBells,
    private readonly batch = BATCH,
  ) {}

  async pass(): Promise<void> {
    const { sent, next } = await takeSteps(this.db, this.after, this.batch);
    this.after = next;
    this.bells.ring(sent);
  }
}
