import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseInstant } from '@signalbox/domain/instant';
import { SCOPES, type Scope } from '@signalbox/domain/scope';
import type { Violation } from '@signalbox/domain/violation';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsString } from 'class-validator';
import { FilledLine, Optional } from '../http/rules.ts';

const MAX_NAME = 100;

/** The longest time for which a replaced key still works. */
const MAX_OVERLAP_HOURS = 720;

/** A new API key. */
export class ApiKeyRequest {
  @ApiProperty({ description: 'Name of the key, for people.', maxLength: MAX_NAME })
  @FilledLine(MAX_NAME)
  name!: string;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'At most the scopes of the caller.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(SCOPES.length)
  @IsIn(SCOPES, { each: true })
  scopes!: Scope[];

  @ApiPropertyOptional({
    default: false,
    description: 'True for an `sb_test_` key, which may use test numbers.',
  })
  @Optional()
  @IsBoolean()
  test: boolean = false;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'The time from which the key no longer works. By default, and at most, the end of the key that makes it; a key ' +
      'made by a user, or by a key without an end, has none by default.',
  })
  @Optional()
  @IsString()
  expiresAt?: string;

  static check({ expiresAt }: ApiKeyRequest): Violation[] {
    if (typeof expiresAt !== 'string') return [];
    const at = parseInstant(expiresAt);
    if (!at)
      return [
        {
          field: 'expiresAt',
          rule: 'invalid_format',
          message: 'must be a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z',
        },
      ];
    return at.getTime() > Date.now()
      ? []
      : [{ field: 'expiresAt', rule: 'out_of_range', message: 'must be in the future' }];
  }
}

/** A new name of a key. */
export class ApiKeyChange {
  @ApiProperty({ maxLength: MAX_NAME })
  @FilledLine(MAX_NAME)
  name!: string;
}

/** The replacement of a key. */
export class RotationRequest {
  @ApiPropertyOptional({
    minimum: 0,
    maximum: MAX_OVERLAP_HOURS,
    default: 24,
    description: 'Hours for which the old key still works.',
  })
  @Optional()
  @IsIntBetween(0, MAX_OVERLAP_HOURS)
  overlapHours: number = 24;
}
