import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An API key of an account. The key itself is shown once and stored nowhere; only its SHA-256 is. */
@Entity('api_key')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  /** Never read back: a caller's key is looked up by it. */
  @Column('bytea', { select: false })
  hash!: Buffer;

  /** `sb_live_` or `sb_test_`; with the last four characters enough to recognise a key. */
  @Column('text')
  prefix!: string;

  @Column('text')
  last4!: string;

  @Column('text', { array: true })
  scopes!: string[];

  /** Null for the default of the deployment. */
  @Column('integer', { name: 'rate_limit_per_minute', nullable: true })
  rateLimitPerMinute!: number | null;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** The user or key that created it, as the audit log names it; null for a key made by a tool. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  /** The last use, to about a minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** The key that a rotation put in its place. */
  @Column('uuid', { name: 'replaced_by', nullable: true })
  replacedBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
