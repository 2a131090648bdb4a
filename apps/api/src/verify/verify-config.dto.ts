import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { OTP_ALPHABETS, type OtpAlphabet } from '@signalbox/domain/verify/otp-code';
import {
  DEFAULT_AFTER_SECONDS,
  MAX_AFTER_SECONDS,
  MAX_STEPS,
  OTP_CHANNELS,
  type OtpChannel,
  STOPS,
  type StopOn,
} from '@signalbox/domain/verify/otp-flow';
import { DEFAULT_OTP_TEXT } from '@signalbox/domain/verify/otp-text';
import { MAX_NAME_LENGTH } from '@signalbox/domain/templates/template';
import type { Violation } from '@signalbox/domain/violation';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsMsisdn, IsSmsSender, MaxCodePoints, NotBlank, Nullable, Optional } from '../http/rules.ts';
import { brokenFlowOfNew } from './verify-config.flow.ts';
import { brokenRules } from './verify-config.settings.ts';

const MAX_TEXT = 2_000;
/** The longest language code is `zh_Hant_TW`; one that no template has is not found. */
const MAX_LANGUAGE_LENGTH = 16;

/** A number that gets a fixed code, and no SMS. */
export class TestNumberRequest {
  @ApiProperty({ example: '919800000100' })
  @IsString()
  @IsMsisdn()
  number!: string;

  @ApiProperty({ example: '424242', description: '4 to 10 letters or digits; it is never shown again' })
  @IsString()
  @Matches(/^[A-Za-z0-9]{4,10}$/)
  code!: string;

  @ApiProperty({ example: '2027-01-31T00:00:00Z', description: 'From then on it is a number like any other' })
  @IsString()
  @IsISO8601({ strict: true, strictSeparator: true })
  until!: string;
}

/** The AUTHENTICATION template that carries codes over a chat app. */
export class OtpTemplateRequest {
  @ApiProperty({ example: 'login_code' })
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_NAME_LENGTH)
  name!: string;

  @ApiPropertyOptional({ example: 'en', description: 'Without it the oldest one that is approved' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_LANGUAGE_LENGTH)
  language?: string;

  @ApiProperty({ example: '15550100001', description: 'A sender of the chat account that has the template' })
  @IsString()
  @IsMsisdn()
  from!: string;
}

/** One step of the way of a code. */
class FlowStepRequest {
  @ApiProperty({ enum: OTP_CHANNELS })
  @IsIn(OTP_CHANNELS)
  channel!: OtpChannel;

  @ApiProperty({
    minimum: 0,
    maximum: MAX_AFTER_SECONDS,
    description: 'After the first step, which has 0; the next 5 or more',
  })
  @IsInt()
  @Min(0)
  @Max(MAX_AFTER_SECONDS)
  afterSeconds!: number;
}

/** The second step of a flow. */
class FallbackRequest {
  @ApiProperty({ enum: OTP_CHANNELS })
  @IsIn(OTP_CHANNELS)
  channel!: OtpChannel;

  @ApiPropertyOptional({ default: DEFAULT_AFTER_SECONDS, minimum: 5, maximum: MAX_AFTER_SECONDS })
  @Optional()
  @IsInt()
  @Min(0)
  @Max(MAX_AFTER_SECONDS)
  afterSeconds?: number;
}

/** `sms` stands for `{ "channel": "sms" }`. */
const ReadChannel = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? { channel: value } : value));

/** What a configuration has a default for. */
@ApiExtraModels(FallbackRequest)
class ConfigOptions {
  @ApiPropertyOptional({ default: true, description: 'A configuration that is not enabled sends no code' })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({ enum: OTP_CHANNELS, default: 'sms', description: 'Where a code goes first' })
  @Optional()
  @IsIn(OTP_CHANNELS)
  channel?: OtpChannel;

  @ApiPropertyOptional({
    nullable: true,
    description: 'Where it goes when it did not arrive: a channel, or a channel and when',
    oneOf: [{ type: 'string', enum: [...OTP_CHANNELS] }, { $ref: getSchemaPath(FallbackRequest) }],
  })
  @ReadChannel()
  @Nullable()
  @ValidateNested()
  @Type(() => FallbackRequest)
  fallback?: FallbackRequest | null;

  @ApiPropertyOptional({
    type: [FlowStepRequest],
    maxItems: MAX_STEPS,
    description: 'The same as `channel` and `fallback` in one',
  })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_STEPS)
  @ValidateNested({ each: true })
  @Type(() => FlowStepRequest)
  flow?: FlowStepRequest[];

  @ApiPropertyOptional({ enum: STOPS, default: 'delivered', description: 'What makes a fallback needless' })
  @Optional()
  @IsIn(STOPS)
  stopOn?: StopOn;

  @ApiPropertyOptional({
    type: OtpTemplateRequest,
    nullable: true,
    description: 'Needed when a code goes over a chat app',
  })
  @Nullable()
  @ValidateNested()
  @Type(() => OtpTemplateRequest)
  template?: OtpTemplateRequest | null;

  @ApiPropertyOptional({
    description:
      'Needed when a code goes by SMS. Up to 11 GSM letters, digits, space or -_.&, or 3 to 15 digits',
    example: 'SIGNALBX',
  })
  @Optional()
  @IsString()
  @IsSmsSender()
  sender?: string;

  @ApiPropertyOptional({ default: 6, minimum: 4, maximum: 10 })
  @Optional()
  @IsInt()
  @Min(4)
  @Max(10)
  codeLength?: number;

  @ApiPropertyOptional({ enum: OTP_ALPHABETS, default: 'numeric' })
  @Optional()
  @IsIn(OTP_ALPHABETS)
  alphabet?: OtpAlphabet;

  @ApiPropertyOptional({
    default: 300,
    minimum: 60,
    maximum: 3600,
    description: 'How long a code can be used',
  })
  @Optional()
  @IsInt()
  @Min(60)
  @Max(3_600)
  ttlSeconds?: number;

  @ApiPropertyOptional({
    default: 5,
    minimum: 1,
    maximum: 10,
    description: 'Wrong codes before a verification is of no more use',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(10)
  maxAttempts?: number;

  @ApiPropertyOptional({ default: 30, minimum: 1, maximum: 3600 })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(3_600)
  resendAfterSeconds?: number;

  @ApiPropertyOptional({
    default: 3,
    minimum: 1,
    maximum: 100,
    description: 'Codes to one number in any 10 minutes',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(100)
  maxSendsPer10Minutes?: number;

  @ApiPropertyOptional({
    default: 10,
    minimum: 1,
    maximum: 100,
    description: 'Codes to one number in any 24 hours',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(100)
  maxSendsPerDay?: number;

  @ApiPropertyOptional({
    default: DEFAULT_OTP_TEXT,
    description: 'With `{{code}}`, and `{{minutes}}` if you like; at most 10 parts',
  })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_TEXT)
  text?: string;

  @ApiPropertyOptional({
    nullable: true,
    example: 'example.com',
    description: 'Makes `@example.com #code` the last line (WebOTP)',
  })
  @Nullable()
  @IsString()
  webOtpDomain?: string | null;

  @ApiPropertyOptional({
    nullable: true,
    example: 'FA+9qCX9VSu',
    description: 'Makes the hash of your app the last line (Android SMS Retriever)',
  })
  @Nullable()
  @IsString()
  androidHash?: string | null;

  @ApiPropertyOptional({
    type: [TestNumberRequest],
    maxItems: 20,
    description: 'Replaced as a whole. They work with `sb_test_` keys only.',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => TestNumberRequest)
  testNumbers?: TestNumberRequest[];
}

const NAME = { description: 'Unique in the account', example: 'login' };

/** A configuration of one-time passwords to create (decisions, POST /v1/verify). */
export class VerifyConfigRequest extends ConfigOptions {
  @ApiProperty(NAME)
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  static settle(request: VerifyConfigRequest): Violation[] {
    return [...brokenRules(request), ...brokenFlowOfNew(request)];
  }
}

/** What may be changed of a configuration; what is left out stays as it is. */
export class VerifyConfigChange extends ConfigOptions {
  @ApiPropertyOptional(NAME)
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name?: string;

  static settle(change: VerifyConfigChange): Violation[] {
    return brokenRules(change);
  }
}
