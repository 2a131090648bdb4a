import type { Channel } from '@signalbox/domain/channel';
import type { BatchSetting } from '@signalbox/domain/webhooks/push-batch';
import type { PushFilters } from '@signalbox/domain/webhooks/push-filters';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type OldSecret, liveSecrets } from '../core/old-secrets.ts';

/** Returns the sealed secrets that pushes are signed with: the newest, and replaced ones that are still valid. */
export function sealedSecrets(
  { sealedSecret, oldSecrets }: Pick<Webhook, 'sealedSecret' | 'oldSecrets'>,
  now: Date,
): [Buffer, ...Buffer[]] {
  const live = liveSecrets(oldSecrets, now);
  return [sealedSecret, ...live.map(({ sealed }) => Buffer.from(sealed, 'base64'))];
}

/** A webhook configuration: the endpoint that reports and events of an account are pushed to, and how. */
@Entity('webhook')
export class Webhook {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  channel!: Channel;

  /** The gateway whose reports are pushed, or `any`. */
  @Column('text')
  provider!: string;

  @Column('text')
  method!: 'GET' | 'POST';

  @Column('text', { name: 'endpoint' })
  endPoint!: string;

  @Column('jsonb')
  headers!: { key: string; value: string }[];

  /** Report fields to include besides the eight that always are. */
  @Column('text', { array: true })
  fields!: string[];

  /** Kinds of chat-app events that are pushed; empty for SMS. */
  @Column('text', { array: true })
  events!: string[];

  /** True when Sent, which is not final, is pushed too. */
  @Column('boolean')
  intermediate!: boolean;

  /** Conditions that a report must meet to be pushed. */
  @Column('jsonb')
  filters!: PushFilters;

  /** Seconds to wait before each further attempt of a push; null for the default schedule. */
  @Column('integer', { array: true, nullable: true })
  schedule!: number[] | null;

  /** Maximum number of calls per second; null for no limit. */
  @Column('integer', { name: 'rate_per_second', nullable: true })
  ratePerSecond!: number | null;

  /** Maximum number of concurrent calls to the endpoint. */
  @Column('smallint', { name: 'max_in_flight' })
  maxInFlight!: number;

  /** Several reports in one call; null for one. */
  @Column('jsonb', { nullable: true })
  batch!: BatchSetting | null;

  /** The signing secret, sealed with the key of the process's configuration. */
  @Column('bytea', { name: 'sealed_secret' })
  sealedSecret!: Buffer;

  /** Replaced secrets: pushes are signed with them too until they expire. */
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

  /** A deleted configuration is not found any more; the row stays for the pushes that name it. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
