import type { SmsLane } from '@signalbox/domain/lane';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A text that an account sends repeatedly, with placeholders for values and short links. */
@Entity('sms_template')
export class SmsTemplate {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  text!: string;

  /** The sender of sends that name none. */
  @Column('text', { nullable: true })
  sender!: string | null;

  /** The only type of SMS that may use it; null for any. */
  @Column('text', { nullable: true })
  type!: SmsLane | null;

  /** Its registration with India's DLT. */
  @Column('text', { name: 'dlt_entity_id', nullable: true })
  dltEntityId!: string | null;

  @Column('text', { name: 'dlt_template_id', nullable: true })
  dltTemplateId!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
