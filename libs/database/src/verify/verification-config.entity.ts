import type { FlowStep, StopOn } from '@signalbox/domain/verify/otp-flow';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A number that gets a fixed code instead of an SMS, for tests. */
export interface TestNumber {
  /** Digits only. */
  number: string;
  /** The code, sealed, in base64. */
  sealedCode: string;
  /** ISO 8601; afterwards it is a number like any other. */
  until: string;
}

/** The AUTHENTICATION template that carries codes over a chat app. */
export interface OtpTemplate {
  name: string;
  /** Null for the oldest approved one. */
  language: string | null;
  /** A sender of the chat account that has the template; digits only. */
  from: string;
}

/** A configuration of one-time passwords of an account. */
@Entity('verification_config')
export class VerificationConfig {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('boolean')
  enabled!: boolean;

  @Column('jsonb')
  flow!: FlowStep[];

  @Column('text', { name: 'stop_on' })
  stopOn!: StopOn;

  /** The template of chat-app messages; null when the flow has no chat-app step. */
  @Column('jsonb', { nullable: true })
  template!: OtpTemplate | null;

  @Column('smallint', { name: 'code_length' })
  codeLength!: number;

  @Column('text')
  alphabet!: 'numeric' | 'alphanumeric';

  @Column('smallint', { name: 'ttl_seconds' })
  ttlSeconds!: number;

  @Column('smallint', { name: 'max_attempts' })
  maxAttempts!: number;

  @Column('smallint', { name: 'resend_after_seconds' })
  resendAfterSeconds!: number;

  @Column('smallint', { name: 'max_sends_per_10_minutes' })
  maxSendsPer10Minutes!: number;

  @Column('smallint', { name: 'max_sends_per_day' })
  maxSendsPerDay!: number;

  /** The sender of SMS; null when the flow has no SMS step. */
  @Column('text', { nullable: true })
  sender!: string | null;

  /** The text of SMS; contains `{{code}}`. */
  @Column('text')
  text!: string;

  @Column('text', { name: 'web_otp_domain', nullable: true })
  webOtpDomain!: string | null;

  @Column('text', { name: 'android_hash', nullable: true })
  androidHash!: string | null;

  @Column('jsonb', { name: 'test_numbers' })
  testNumbers!: TestNumber[];

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /** The row of a deleted configuration stays for the codes that were sent by it. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
