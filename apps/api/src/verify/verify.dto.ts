import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { Violation } from '@signalbox/domain/violation';
import { IsString } from 'class-validator';
import { IsMsisdn, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';

/** A call for a one-time password (spec 4.6). */
export class VerifyRequest {
  @ApiPropertyOptional({
    description: 'Required, under this name or as `config-id`',
    example: '019e6f0b-2a44-7c10-8d21-5b7e9a0c4f13',
  })
  @Optional()
  @IsString()
  @NotBlank()
  configId?: string;

  @ApiPropertyOptional({ description: 'Another name of `configId`' })
  @Optional()
  @IsString()
  @NotBlank()
  'config-id'?: string;

  @ApiProperty({ example: '919812345678', description: 'A phone number with its country code' })
  @IsString()
  @IsMsisdn()
  to!: string;

  /** The configuration under whichever name it came. */
  config = '';

  /** `to` as digits. */
  recipient = '';

  static settle(request: VerifyRequest): Violation[] {
    const { configId, 'config-id': alias, to } = request;
    request.config = configId ?? alias ?? '';
    request.recipient = (typeof to === 'string' && parseMsisdn(to)) || '';
    if (configId === undefined && alias === undefined)
      return [{ field: 'configId', rule: 'required', message: 'is required' }];
    if (configId === undefined || alias === undefined || configId === alias) return [];
    return [{ field: 'config-id', rule: 'not_allowed_value', message: 'must be the same as configId' }];
  }
}

/** A code that somebody typed (spec 4.7). */
export class ValidateRequest {
  @ApiProperty({
    description: '`data` of the answer that generated the code',
    example: '019e6f0c-7b1d-7e52-9c3a-1f2e3d4c5b6a',
  })
  @IsString()
  @NotBlank()
  verifyId!: string;

  @ApiProperty({ example: '482913', description: 'Letters count the same in either case' })
  @IsString()
  @NotBlank()
  @MaxCodePoints(64)
  otp!: string;
}
