import { requireTimeZones } from '@signalbox/database/submissions/quiet';
import type { SmsLane } from '@signalbox/domain/lane';
import { type QuietRule, parseQuietHours } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';

/** The quiet hours of each lane. */
export class QuietHours {
  private constructor(private readonly rules: readonly QuietRule[]) {}

  /** Reads the setting QUIET_HOURS. @throws Error when Postgres does not know one of its time zones */
  static async open(db: EntityManager, setting: string): Promise<QuietHours> {
    const rules = parseQuietHours(setting);
    await requireTimeZones(db, rules);
    return new QuietHours(rules);
  }

  of(lane: SmsLane): readonly QuietRule[] {
    return this.rules.filter((rule) => rule.lane === lane);
  }
}
