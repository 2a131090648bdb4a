import { ApiPropertyOptional } from '@nestjs/swagger';
import { isSmsSender } from '@signalbox/domain/sms/sender';
import type { Violation } from '@signalbox/domain/violation';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { FilledText, IsMsisdn, MaxCodePoints, Optional } from '../http/rules.ts';

const MAX_RECIPIENTS = 1_000;

/** Recipients to opt out. */
export class OptOutRequest {
  @ApiPropertyOptional({ description: 'One phone number with its country code.' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  @ApiPropertyOptional({ type: [String], description: 'Up to 1,000 phone numbers, instead of `recipient`.' })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RECIPIENTS)
  @IsString({ each: true })
  @IsMsisdn({ each: true })
  recipients?: string[];

  @ApiPropertyOptional({
    maxLength: 15,
    description: 'Sender whose messages are refused. By default all senders of the account.',
  })
  @Optional()
  @IsString()
  sender?: string;

  @ApiPropertyOptional({ description: 'Origin of the opt-out, for your records.', default: 'api' })
  @Optional()
  @FilledText(100)
  source: string = 'api';

  @ApiPropertyOptional({ description: 'Reason, for your records.' })
  @Optional()
  @IsString()
  @MaxCodePoints(500)
  reason?: string;

  static check({ recipient, recipients, sender }: OptOutRequest): Violation[] {
    const violations: Violation[] = [];
    if (recipient === undefined && recipients === undefined)
      violations.push({
        field: 'recipient',
        rule: 'required',
        message: 'is required, or recipients instead of it',
      });
    if (recipient !== undefined && recipients !== undefined)
      violations.push({
        field: 'recipient',
        rule: 'not_applicable',
        message: 'must be absent with recipients: move the number into that list',
      });
    if (typeof sender === 'string' && !isSmsSender(sender))
      violations.push({
        field: 'sender',
        rule: 'invalid_format',
        message: 'must be a sender as POST /v1/sms takes it',
      });
    return violations;
  }
}

/** Filter and paging of opt-outs. */
export class OptOutQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only opt-outs of this number.' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;
}
