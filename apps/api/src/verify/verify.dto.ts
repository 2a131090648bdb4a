import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { Violation } from '@signalbox/domain/violation';
import { IsString } from 'class-validator';
import { CONFIG_ID, VERIFY_ID } from '../docs/example-ids.ts';
import { FilledText, IsMsisdn, NotBlank, NotInBody, Optional } from '../http/rules.ts';

/** A request for a one-time password. */
export class VerifyRequest {
  @ApiPropertyOptional({
    description: 'Id of a verification configuration. Required under this name or as `config-id`.',
    example: CONFIG_ID,
  })
  @Optional()
  @IsString()
  @NotBlank()
  configId?: string;

  @ApiPropertyOptional({ description: 'Alias of `configId`' })
  @Optional()
  @IsString()
  @NotBlank()
  'config-id'?: string;

  @ApiProperty({ example: '919812345678', description: 'Phone number with country code' })
  @IsString()
  @IsMsisdn()
  to!: string;

  /** Refused: a caller who means a dry run must not send. */
  @Optional()
  @NotInBody('is not available for one-time passwords; use a test number')
  dryRun?: unknown;

  /** Value of `configId` or of its alias. */
  config = '';

  /** `to` as digits. */
  recipient = '';

  static check(request: VerifyRequest, { to }: Partial<VerifyRequest>): Violation[] {
    const { configId, 'config-id': alias } = request;
    request.config = configId ?? alias ?? '';
    request.recipient = (to !== undefined && parseMsisdn(to)) || '';
    if (configId === undefined && alias === undefined)
      return [{ field: 'configId', rule: 'required', message: 'is required' }];
    if (configId === undefined || alias === undefined || configId === alias) return [];
    return [{ field: 'config-id', rule: 'not_allowed_value', message: 'must be the same as configId' }];
  }
}

/** A code to validate. */
export class ValidateRequest {
  @ApiProperty({
    description: '`data` of the response to POST /v1/verify',
    example: VERIFY_ID,
  })
  @IsString()
  @NotBlank()
  verifyId!: string;

  @ApiProperty({
    example: '482913',
    description: 'The code as the person typed it; letters match in either case',
  })
  @FilledText(64)
  otp!: string;
}
