import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OTP_ALPHABETS, type OtpAlphabet } from '@signalbox/domain/otp-code';
import { DEFAULT_OTP_TEXT } from '@signalbox/domain/otp-text';
import type { Violation } from '@signalbox/domain/violation';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { IsMsisdn, IsSmsSender, MaxCodePoints, NotBlank, Nullable, Optional } from '../http/rules.ts';
import { brokenRules } from './verify-config.settings.ts';

const MAX_TEXT = 2_000;

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

/** What this version cannot do yet is refused, not ignored: a code that silently stays away would be worse. */
function NotYet(): PropertyDecorator {
  const validator = { validate: () => false };
  return ValidateBy(
    { name: 'notYet', validator },
    { message: 'needs chat-app messages, which this version does not send', context: { rule: 'not_supported' } },
  );
}

/** What a configuration has a default for. */
class ConfigOptions {
  @ApiPropertyOptional({ default: true, description: 'A configuration that is not enabled sends no code' })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({ enum: ['sms'], default: 'sms' })
  @Optional()
  @IsIn(['sms'], { message: 'must be sms: this version sends no chat-app messages' })
  channel?: 'sms';

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

  @ApiPropertyOptional({ default: 300, minimum: 60, maximum: 3600, description: 'How long a code can be used' })
  @Optional()
  @IsInt()
  @Min(60)
  @Max(3_600)
  ttlSeconds?: number;

  @ApiPropertyOptional({ default: 5, minimum: 1, maximum: 10, description: 'Wrong codes before a verification is of no more use' })
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

  @ApiPropertyOptional({ default: 3, minimum: 1, maximum: 100, description: 'Codes to one number in any 10 minutes' })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(100)
  maxSendsPer10Minutes?: number;

  @ApiPropertyOptional({ default: 10, minimum: 1, maximum: 100, description: 'Codes to one number in any 24 hours' })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(100)
  maxSendsPerDay?: number;

  @ApiPropertyOptional({ default: DEFAULT_OTP_TEXT, description: 'With `{{code}}`, and `{{minutes}}` if you like; at most 10 parts' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_TEXT)
  text?: string;

  @ApiPropertyOptional({ nullable: true, example: 'example.com', description: 'Makes `@example.com #code` the last line (WebOTP)' })
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

  @Optional()
  @NotYet()
  template?: unknown;

  @Optional()
  @NotYet()
  fallback?: unknown;

  @Optional()
  @NotYet()
  flow?: unknown;
}

const NAME = { description: 'Unique in the account', example: 'login' };
const SENDER = { description: 'Up to 11 GSM letters, digits, space or -_.&, or 3 to 15 digits', example: 'SIGNALBX' };

/** A configuration of one-time passwords to create (decisions, POST /v1/verify). */
export class VerifyConfigRequest extends ConfigOptions {
  @ApiProperty(NAME)
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  @ApiProperty(SENDER)
  @IsString()
  @IsSmsSender()
  sender!: string;

  static settle(request: VerifyConfigRequest): Violation[] {
    return brokenRules(request);
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

  @ApiPropertyOptional(SENDER)
  @Optional()
  @IsString()
  @IsSmsSender()
  sender?: string;

  static settle(change: VerifyConfigChange): Violation[] {
    return brokenRules(change);
  }
}
