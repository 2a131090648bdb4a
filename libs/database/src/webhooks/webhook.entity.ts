import type { PushFilters } from '@signalbox/domain/webhooks/push-filters';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A signing secret that was replaced. */
export interface OldSecret {
  /** As in `sealedSecret`, in base64. */
  sealed: string;
  /** ISO 8601; from then on nothing is signed with it. */
  until: string;
}

/** The secrets that pushes are signed with, as they are kept: the newest, and those replaced not long ago. */
export function sealedSecrets(
  { sealedSecret, oldSecrets }: Pick<Webhook, 'sealedSecret' | 'oldSecrets'>,
  now: Date,
): [Buffer, ...Buffer[]] {
  const live = oldSecrets.length === 0 ? [] : oldSecrets.filter(({ until }) => until > now.toISOString());
  return [sealedSecret, ...live.map(({ sealed }) => Buffer.from(sealed, 'base64'))];
}

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
  channel!: 'sms' | 'chatapp';

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

  /** Kinds of chat-app events that are pushed; empty for SMS. */
  @Column('text', { array: true })
  events!: string[];

  /** Whether Sent is pushed too, which is on the way to a final status. */
  @Column('boolean')
  intermediate!: boolean;

  /** Which reports are pushed at all. */
  @Column('jsonb')
  filters!: PushFilters;

  /** Seconds to wait before each further call of a push; null for the schedule of backoff.ts. */
  @Column('integer', { array: true, nullable: true })
  schedule!: number[] | null;

  /** Calls a second at most; null for no limit. */
  @Column('integer', { name: 'rate_per_second', nullable: true })
  ratePerSecond!: number | null;

  /** How many calls to the end point may be under way at once. */
  @Column('smallint', { name: 'max_in_flight' })
  maxInFlight!: number;

  /** The signing secret, sealed with the key of the process's configuration. */
  @Column('bytea', { name: 'sealed_secret' })
  sealedSecret!: Buffer;

  /** Secrets that were replaced: pushes are signed with them too until their time is over. */
  @Column('jsonb', { name: 'old_secrets' })
  oldSecrets!: OldSecret[];

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /** A deleted configuration is nobody's any more; the row stays for the pushes that name it. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
