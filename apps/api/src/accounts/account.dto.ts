import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ACCOUNT_LIMITS, type AccountLimit } from '@signalbox/domain/account-limits';
import { isObject } from '@signalbox/domain/is-object';
import type { Violation } from '@signalbox/domain/violation';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { IsIn, IsObject, IsString } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { FilledLine, MaxCodePoints, Nullable, Optional } from '../http/rules.ts';

const STATUSES = ['active', 'suspended'] as const;
type AccountStatus = (typeof STATUSES)[number];

const MAX_NAME = 100;
const MAX_LIMIT = 1_000_000_000_000;

/** Query of GET /v1/accounts. */
export class AccountQuery extends PageQuery {
  @ApiPropertyOptional({ maxLength: MAX_NAME, description: 'Part of the name, in any case, or an id.' })
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_NAME)
  q?: string;

  @ApiPropertyOptional({ enum: STATUSES, description: 'Only accounts with this status.' })
  @Optional()
  @IsIn(STATUSES)
  status?: AccountStatus;
}

const RATE = {
  type: Number,
  nullable: true,
  minimum: 1,
  maximum: 1_000_000,
  description: 'SMS per second, for all workers together; null for no limit.',
};
const LIMITS = {
  type: 'object',
  additionalProperties: { type: 'integer', nullable: true },
  description: `Limits to set, by name: ${Object.keys(ACCOUNT_LIMITS).join(', ')}. Null restores the default.`,
} as const;

/** Settings that a new account may have, and that a change may set. */
class AccountSettings {
  @ApiPropertyOptional(RATE)
  @Nullable()
  @IsIntBetween(1, 1_000_000)
  smsPerSecond?: number | null;

  @ApiPropertyOptional(LIMITS)
  @Optional()
  @IsObject()
  limits?: Partial<Record<AccountLimit, number | null>>;

  static check({ limits }: AccountSettings): Violation[] {
    return checkLimits(limits);
  }
}

/** Body of POST /v1/accounts. */
export class AccountRequest extends AccountSettings {
  @ApiProperty({ maxLength: MAX_NAME, description: 'No other account has it.' })
  @FilledLine(MAX_NAME)
  name!: string;
}

/** Body of PATCH /v1/accounts/{id}. */
export class AccountChangeRequest extends AccountSettings {
  @ApiPropertyOptional({ maxLength: MAX_NAME })
  @Optional()
  @FilledLine(MAX_NAME)
  name?: string;

  @ApiPropertyOptional({
    enum: STATUSES,
    description: 'Requests of a suspended account get 403; what it sent before is still delivered.',
  })
  @Optional()
  @IsIn(STATUSES)
  status?: AccountStatus;
}

function checkLimits(limits: unknown): Violation[] {
  if (!isObject(limits)) return [];
  return Object.entries(limits).flatMap(([name, value]) => checkLimit(name, value));
}

function checkLimit(name: string, value: unknown): Violation[] {
  const field = `limits.${name}`;
  if (!Object.hasOwn(ACCOUNT_LIMITS, name))
    return [
      { field, rule: 'unknown_limit', message: `must be one of ${Object.keys(ACCOUNT_LIMITS).join(', ')}` },
    ];
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_LIMIT;
  if (value === null || isCount) return [];
  return [{ field, rule: 'out_of_range', message: `must be null or a whole number from 0 to ${MAX_LIMIT}` }];
}
