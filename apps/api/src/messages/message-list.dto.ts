import { ApiPropertyOptional } from '@nestjs/swagger';
import { MESSAGE_STATUSES, wireStatus } from '@signalbox/domain/message-status';
import { Transform } from 'class-transformer';
import { IsString, Matches, ValidateBy } from 'class-validator';
import { TextFilter } from '../http/filter-fields.ts';
import { IsMsisdn, Optional, splitList } from '../http/rules.ts';
import { SentQuery } from '../http/sent-query.ts';
import { UUID } from '../http/uuid.ts';

const STATUSES = MESSAGE_STATUSES.map(wireStatus);

/** Reads one status, comma-separated ones, or a list of them, each in any case. */
function readStatuses(value: unknown): unknown {
  const list = typeof value === 'string' ? splitList(value) : value;
  if (!Array.isArray(list)) return list;
  return list.map((each: unknown) => (typeof each === 'string' ? wireStatus(each.toUpperCase()) : each));
}

/** A list of one to five statuses. */
function AreStatuses(): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= STATUSES.length &&
    value.every((each) => STATUSES.includes(each as (typeof STATUSES)[number]));
  const message = `must be one or several of ${STATUSES.join(', ')}`;
  return ValidateBy(
    { name: 'areStatuses', validator: { validate } },
    { message, context: { rule: 'not_allowed_value' } },
  );
}

/** Filters of a list of messages, all of which must match. */
export class MessageListRequest extends SentQuery {
  @ApiPropertyOptional({
    description: 'Recipient with its country code. In a query string, write a plus as %2B.',
  })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: STATUSES },
    description: 'Messages with any of these statuses, in any case: a list, or comma-separated text.',
  })
  @Optional()
  @Transform(({ value }: { value: unknown }) => readStatuses(value))
  @AreStatuses()
  status?: string[];

  @TextFilter(16, 'Messages with this `errCode`; one other than `000` finds failed messages.', '003')
  errCode?: string;

  @TextFilter(40, 'Name of the gateway that has the message.', 'simulator')
  gateway?: string;

  @ApiPropertyOptional({ description: 'The `id` returned by a send.' })
  @Optional()
  @IsString()
  @Matches(UUID, { message: 'must be the id of a send' })
  submissionId?: string;
}
