import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A webhook configuration: where the delivery reports of an account are pushed, and how (spec 2.7). */
@Entity('webhook')
export class Webhook {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  channel!: 'sms';

  /** The gateway whose reports are pushed, or `any`. */
  @Column('text')
  provider!: string;

  @Column('text')
  method!: 'GET' | 'POST';

  @Column('text', { name: 'end_point' })
  endPoint!: string;

  @Column('jsonb')
  headers!: { key: string; value: string }[];

  /** Report fields to include beyond the eight that always are. */
  @Column('text', { array: true })
  fields!: string[];

  /** How many calls to the end point may be under way at once. */
  @Column('smallint', { name: 'max_in_flight' })
  maxInFlight!: number;

  /** The signing secret, sealed with the key of the process's configuration. */
  @Column('bytea', { name: 'sealed_secret' })
  sealedSecret!: Buffer;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
