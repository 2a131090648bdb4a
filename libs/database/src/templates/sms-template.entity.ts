import type { Lane } from '@signalbox/domain/lane';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A text that an account sends again and again, with places for values and short links. */
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

  /** For sends that name none. */
  @Column('text', { nullable: true })
  sender!: string | null;

  /** The only type it may be sent with; null for any. */
  @Column('text', { nullable: true })
  type!: Lane | null;

  /** What it is registered as with India's DLT. */
  @Column('text', { name: 'dlt_entity_id', nullable: true })
  dltEntityId!: string | null;

  @Column('text', { name: 'dlt_template_id', nullable: true })
  dltTemplateId!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
