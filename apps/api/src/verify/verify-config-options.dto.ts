import { ApiExtraModels, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { OTP_ALPHABETS, type OtpAlphabet } from '@signalbox/domain/verify/otp-code';
import {
  MAX_STEPS,
  OTP_CHANNELS,
  type OtpChannel,
  STOP_EVENTS,
  type StopOn,
} from '@signalbox/domain/verify/otp-flow';
import { OTP_DEFAULTS } from '@signalbox/domain/verify/otp-defaults';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { Nested, NestedList } from '@signalbox/gateways/nested';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { FilledText, IsSmsSender, Nullable, Optional } from '../http/rules.ts';
import {
  FallbackRequest,
  FlowStepRequest,
  OtpTemplateRequest,
  TestNumberRequest,
} from './verify-config-members.dto.ts';

const MAX_TEXT = 2_000;

/** Reads `"sms"` as `{ "channel": "sms" }`. */
const ReadChannel = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? { channel: value } : value));

/** Settings of a configuration that have defaults. */
@ApiExtraModels(FallbackRequest)
export class VerifyConfigOptions {
  @ApiPropertyOptional({ default: true, description: 'A disabled configuration sends no codes' })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    enum: OTP_CHANNELS,
    default: 'sms',
    description: 'Channel that a code is sent over first',
  })
  @Optional()
  @IsIn(OTP_CHANNELS)
  channel?: OtpChannel;

  @ApiPropertyOptional({
    nullable: true,
    description:
      'Channel to use when the first message does not arrive: a channel, or a channel with a delay',
    oneOf: [{ type: 'string', enum: [...OTP_CHANNELS] }, { $ref: getSchemaPath(FallbackRequest) }],
  })
  @ReadChannel()
  @Nullable()
  @Nested(() => FallbackRequest)
  fallback?: FallbackRequest | null;

  @ApiPropertyOptional({
    type: [FlowStepRequest],
    maxItems: MAX_STEPS,
    description: 'Combines `channel` and `fallback`; use either notation',
  })
  @Optional()
  @NestedList(() => FlowStepRequest, { min: 1, max: MAX_STEPS })
  flow?: FlowStepRequest[];

  @ApiPropertyOptional({
    enum: STOP_EVENTS,
    default: OTP_DEFAULTS.stopOn,
    description: 'Event that cancels the fallback',
  })
  @Optional()
  @IsIn(STOP_EVENTS)
  stopOn?: StopOn;

  @ApiPropertyOptional({
    type: OtpTemplateRequest,
    nullable: true,
    description: 'Template for codes over a chat app; required when a step uses that channel',
  })
  @Nullable()
  @Nested(() => OtpTemplateRequest)
  template?: OtpTemplateRequest | null;

  @ApiPropertyOptional({
    description:
      'Sender of the SMS; required when a step uses SMS. Up to 11 GSM letters, digits, spaces or -_.&, or 3 to 15 digits.',
    example: 'SIGNALBX',
  })
  @Optional()
  @IsString()
  @IsSmsSender()
  sender?: string;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.codeLength,
    minimum: 4,
    maximum: 10,
    description: 'Characters of a code',
  })
  @Optional()
  @IsIntBetween(4, 10)
  codeLength?: number;

  @ApiPropertyOptional({
    enum: OTP_ALPHABETS,
    default: OTP_DEFAULTS.alphabet,
    description: 'Characters to use in codes',
  })
  @Optional()
  @IsIn(OTP_ALPHABETS)
  alphabet?: OtpAlphabet;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.ttlSeconds,
    minimum: 60,
    maximum: 3600,
    description: 'Lifetime of a code',
  })
  @Optional()
  @IsIntBetween(60, 3_600)
  ttlSeconds?: number;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.maxAttempts,
    minimum: 1,
    maximum: 10,
    description: 'Wrong codes before a verification is locked',
  })
  @Optional()
  @IsIntBetween(1, 10)
  maxAttempts?: number;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.resendAfterSeconds,
    minimum: 1,
    maximum: 3600,
    description: 'Minimum delay between two codes to one number',
  })
  @Optional()
  @IsIntBetween(1, 3_600)
  resendAfterSeconds?: number;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.maxSendsPer10Minutes,
    minimum: 1,
    maximum: 100,
    description: 'Maximum number of codes to one number in 10 minutes',
  })
  @Optional()
  @IsIntBetween(1, 100)
  maxSendsPer10Minutes?: number;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.maxSendsPerDay,
    minimum: 1,
    maximum: 100,
    description: 'Maximum number of codes to one number in 24 hours',
  })
  @Optional()
  @IsIntBetween(1, 100)
  maxSendsPerDay?: number;

  @ApiPropertyOptional({
    default: OTP_DEFAULTS.text,
    description:
      'Text of the SMS. It must hold `{{code}}`, may hold `{{minutes}}`, and must fit in 10 parts.',
  })
  @Optional()
  @FilledText(MAX_TEXT)
  text?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'example.com',
    maxLength: 253,
    description: 'Adds `@example.com #code` as the last line, for WebOTP',
  })
  @Nullable()
  @IsString()
  webOtpDomain?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'FA+9qCX9VSu',
    minLength: 11,
    maxLength: 11,
    description: 'Adds the hash of your app as the last line, for the Android SMS Retriever',
  })
  @Nullable()
  @IsString()
  androidHash?: string | null;

  @ApiPropertyOptional({
    type: [TestNumberRequest],
    maxItems: 20,
    description:
      'Numbers with fixed codes, usable with `sb_test_` keys only. A change replaces the whole list.',
  })
  @Optional()
  @NestedList(() => TestNumberRequest, { max: 20 })
  testNumbers?: TestNumberRequest[];
}
