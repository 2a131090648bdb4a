import type { AccountLimit } from '@signalbox/domain/account-limits';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A tenant. Every row of a tenant carries its id, and every query filters by it. */
@Entity('account')
export class Account {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** The keys of a suspended account return 403 account_suspended. */
  @Column('text')
  status!: 'active' | 'suspended';

  /** Maximum number of SMS sent per second; null for no limit. */
  @Column('integer', { name: 'sms_per_second', nullable: true })
  smsPerSecond!: number | null;

  /** The limits that differ from the defaults, by name. */
  @Column('jsonb', { default: {} })
  limits!: Partial<Record<AccountLimit, number>>;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
