import { ApiPropertyOptional } from '@nestjs/swagger';
import { isSmsSender } from '@signalbox/domain/sms/sender';
import type { Violation } from '@signalbox/domain/violation';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';

const MAX_RECIPIENTS = 1_000;

/** Recipients who want no more messages. */
export class OptOutRequest {
  @ApiPropertyOptional({ description: 'One number with its country code' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  @ApiPropertyOptional({ type: [String], description: 'Or up to 1,000' })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RECIPIENTS)
  @IsString({ each: true })
  @IsMsisdn({ each: true })
  recipients?: string[];

  @ApiPropertyOptional({
    description: 'The sender they want nothing of; all senders of the account unless told',
  })
  @Optional()
  @IsString()
  sender?: string;

  @ApiPropertyOptional({ description: 'Where it was said, for your records', default: 'api' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  source: string = 'api';

  @ApiPropertyOptional({ description: 'For your records' })
  @Optional()
  @IsString()
  @MaxCodePoints(500)
  reason?: string;

  static settle({ recipient, recipients, sender }: OptOutRequest): Violation[] {
    const violations: Violation[] = [];
    if ((recipient === undefined) === (recipients === undefined))
      violations.push({
        field: 'recipient',
        rule: 'required',
        message: 'is required, or recipients instead of it',
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

/** A page of opt-outs. */
export class OptOutQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only those of this number' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;
}
