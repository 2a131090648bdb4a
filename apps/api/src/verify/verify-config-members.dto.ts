import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseInstant } from '@signalbox/domain/instant';
import { MAX_NAME_LENGTH } from '@signalbox/domain/templates/template';
import {
  DEFAULT_AFTER_SECONDS,
  MAX_AFTER_SECONDS,
  OTP_CHANNELS,
  type OtpChannel,
} from '@signalbox/domain/verify/otp-flow';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { IsIn, IsString, Matches, ValidateBy } from 'class-validator';
import { FilledText, IsMsisdn, Optional } from '../http/rules.ts';

/** The longest language code is `zh_Hant_TW`. */
const MAX_LANGUAGE_LENGTH = 16;

/** A time in ISO 8601 with its zone. */
function IsInstant(): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && parseInstant(value) !== undefined;
  const message = 'must be a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z';
  return ValidateBy({ name: 'isInstant', validator: { validate } }, { message });
}

/** A number whose codes are fixed and are not sent. */
export class TestNumberRequest {
  @ApiProperty({ example: '919800000100', description: 'Phone number with country code' })
  @IsString()
  @IsMsisdn()
  number!: string;

  @ApiProperty({
    example: '424242',
    description: 'Fixed code of 4 to 10 letters or digits. It is never shown again.',
  })
  @IsString()
  @Matches(/^[A-Za-z0-9]{4,10}$/, { message: 'must be 4 to 10 letters or digits' })
  code!: string;

  @ApiProperty({
    example: '2027-01-31T00:00:00Z',
    description: 'When the number stops being a test number, in ISO 8601 with a zone',
  })
  @IsString()
  @IsInstant()
  until!: string;
}

/** The AUTHENTICATION template that carries codes over a chat app. */
export class OtpTemplateRequest {
  @ApiProperty({ example: 'login_code', description: 'Name of the template' })
  @FilledText(MAX_NAME_LENGTH)
  name!: string;

  @ApiPropertyOptional({
    example: 'en',
    description: 'Language of the template; by default the oldest approved one',
  })
  @Optional()
  @FilledText(MAX_LANGUAGE_LENGTH)
  language?: string;

  @ApiProperty({
    example: '15550100001',
    description: 'Sender to use; its chat account must own the template',
  })
  @IsString()
  @IsMsisdn()
  from!: string;
}

/** One step of a flow. */
export class FlowStepRequest {
  @ApiProperty({ enum: OTP_CHANNELS, description: 'Channel of the step' })
  @IsIn(OTP_CHANNELS)
  channel!: OtpChannel;

  @ApiProperty({
    minimum: 0,
    maximum: MAX_AFTER_SECONDS,
    description: 'Seconds after the first step: 0 for the first step, at least 5 for the next',
  })
  @IsIntBetween(0, MAX_AFTER_SECONDS)
  afterSeconds!: number;
}

/** The second step of a flow. */
export class FallbackRequest {
  @ApiProperty({ enum: OTP_CHANNELS, description: 'Channel of the fallback' })
  @IsIn(OTP_CHANNELS)
  channel!: OtpChannel;

  @ApiPropertyOptional({
    default: DEFAULT_AFTER_SECONDS,
    minimum: 5,
    maximum: MAX_AFTER_SECONDS,
    description: 'Seconds after the first step',
  })
  @Optional()
  @IsIntBetween(0, MAX_AFTER_SECONDS)
  afterSeconds?: number;
}
