import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PARKED_KINDS, type ParkedKind } from '@signalbox/database/ops/parked';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { Violation } from '@signalbox/domain/violation';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsString, Matches } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { FilledLine, Optional } from '../http/rules.ts';
import { UUID } from '../http/uuid.ts';

const MAX_IDS = 1_000;
const MAX_REASON = 200;

/** Maximum number of rows of one request. */
export const MAX_ROWS = 10_000;

const KIND = { enum: PARKED_KINDS, description: 'The kind of rows.' };

/** The account whose rows are meant. */
const OfAccount = (): PropertyDecorator =>
  applyDecorators(
    Matches(UUID, { message: 'must be the id of an account' }),
    Optional(),
    ApiPropertyOptional({ format: 'uuid', description: 'Only rows of this account.' }),
  );

/** The gateway whose rows are meant. */
const OfGateway = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    Optional(),
    ApiPropertyOptional({ description: 'Only rows of this gateway.', example: 'smsc-1' }),
  );

/** Query of GET /v1/parked. */
export class ParkedQuery extends PageQuery {
  @ApiPropertyOptional({ ...KIND, default: 'message' })
  @Optional()
  @IsIn(PARKED_KINDS)
  kind: ParkedKind = 'message';

  @OfAccount()
  accountId?: string;

  @OfGateway()
  gateway?: string;
}

/** Body of POST /v1/parked/free. */
export class FreeRequest {
  @ApiProperty(KIND)
  @IsIn(PARKED_KINDS)
  kind!: ParkedKind;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_IDS,
    description: 'Ids as the list shows them. Without ids the request is for all rows that match the rest.',
  })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS)
  @IsString({ each: true })
  ids?: string[];

  @OfAccount()
  accountId?: string;

  @OfGateway()
  gateway?: string;

  @ApiPropertyOptional({ type: Boolean, default: false, description: 'True only counts the rows.' })
  @Optional()
  @IsBoolean()
  dryRun?: boolean;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_ROWS,
    default: MAX_ROWS,
    description: 'Maximum number of rows of a call without ids. Repeat the call until it returns 0.',
  })
  @Optional()
  @IsIntBetween(1, MAX_ROWS)
  limit?: number;

  static readonly refusesUnknown = {};

  static check(_: FreeRequest, { ids, kind, accountId, gateway }: Partial<FreeRequest>): Violation[] {
    if (ids === undefined || kind === undefined) return [];
    if (accountId !== undefined || gateway !== undefined)
      return [{ field: 'ids', rule: 'not_applicable', message: 'cannot be combined with a filter' }];
    const isId = kind === 'message' ? (id: string) => !!parseMessageId(id) : (id: string) => UUID.test(id);
    return ids.flatMap((id, i) =>
      isId(id)
        ? []
        : [{ field: `ids[${i}]`, rule: 'invalid_format', message: `must be the id of a ${kind}` }],
    );
  }
}

/** Body of POST /v1/parked/discard. */
export class DiscardRequest extends FreeRequest {
  @ApiProperty({ maxLength: MAX_REASON, description: 'Kept with templates and callbacks, and in the audit.' })
  @FilledLine(MAX_REASON)
  reason!: string;
}
