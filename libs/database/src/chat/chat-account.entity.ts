import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** The driver reads a bigint as text. Ids have at most 15 digits, so a number holds each. */
const asNumber = { from: Number, to: (id: number) => id };

/**
 * A setting of a chat account: `enforce` refuses a message that is no template to a recipient who did not write within
 * a day.
 */
export type SessionWindow = 'off' | 'enforce';

/** A business chat-app account of a tenant. Its id is the wire's numeric chatAccountId. */
@Entity('chat_account')
export class ChatAccount {
  @PrimaryColumn('bigint', { transformer: asNumber })
  id!: number;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'session_window' })
  sessionWindow!: SessionWindow;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /** A deleted chat account stays as a row, because its templates name it. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** A number that a chat account sends from; it belongs to one chat account of all tenants. */
@Entity('chat_sender')
export class ChatSender {
  @PrimaryColumn('text')
  msisdn!: string;

  @Column('bigint', { name: 'chat_account_id', transformer: asNumber })
  chatAccountId!: number;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('smallint', { name: 'messages_per_second' })
  messagesPerSecond!: number;

  /** The time until which its messages are spread already: the next may be sent then. */
  @Column('timestamptz', { name: 'paced_until' })
  pacedUntil!: Date;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

/** The account that a number belongs to, whether or not it is a sender. */
@Entity('sender_assignment')
export class SenderAssignment {
  @PrimaryColumn('text')
  msisdn!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** `operator` until an operator releases it; `account` when the account added it while no account owned it. */
  @Column('text', { name: 'assigned_by' })
  assignedBy!: 'operator' | 'account';

  @CreateDateColumn({ type: 'timestamptz', name: 'assigned_at' })
  assignedAt!: Date;

  /**
   * Set while the number is deleted: until then only its account may add it. Null for a number that an operator
   * assigned.
   */
  @Column('timestamptz', { name: 'quarantined_until', nullable: true })
  quarantinedUntil!: Date | null;
}
