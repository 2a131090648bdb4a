import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The policy for all one-time passwords of an account. An account without a row has the DEFAULT_POLICY. */
@Entity('verification_policy')
export class VerificationPolicy {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId!: string;

  /** The countries that codes may be sent to, ISO 3166-1; null for every country. */
  @Column('text', { array: true, nullable: true })
  countries!: string[] | null;

  /** Maximum number of codes to numbers that differ in their last four digits only; null for no limit. */
  @Column('integer', { name: 'max_sends_per_prefix_per_hour', nullable: true })
  maxSendsPerPrefixPerHour!: number | null;

  /** Maximum number of credits that codes may cost in a day of UTC; null for no limit. */
  @Column('integer', { name: 'daily_credits', nullable: true })
  dailyCredits!: number | null;

  @Column('text', { name: 'fraud_guard' })
  fraudGuard!: 'off' | 'monitor' | 'block';

  /** A prefix, a country or a key is suspect when a smaller share of its codes is verified. */
  @Column('smallint', { name: 'min_conversion_percent' })
  minConversionPercent!: number;

  /** Nothing is suspect with fewer codes than this. */
  @Column('integer', { name: 'min_sends' })
  minSends!: number;

  /** Beginnings of numbers that are never suspect. */
  @Column('text', { name: 'guard_allow_list', array: true })
  guardAllowList!: string[];

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
