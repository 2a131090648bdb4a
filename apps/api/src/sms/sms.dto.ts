import { LANES, type Lane } from '@signalbox/domain/lane';
import { MAX_RATE_PER_SECOND, MAX_RECIPIENTS, MAX_SMS_PARTS } from '@signalbox/domain/limits';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { countParts } from '@signalbox/domain/sms-parts';
import { isSmsSender } from '@signalbox/domain/sms-sender';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsIn, IsInt, IsString, Max, Min, ValidateBy } from 'class-validator';
import type { Violation } from '@signalbox/domain/violation';
import { MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';
import { settleTimes } from './sms-times.ts';

/** An SMS for one or many recipients (spec 4.8). */
export class SmsRequest {
  @ApiProperty({ example: 'SIGNALBX', description: 'Up to 11 GSM letters, digits, space or -_.&, or 3 to 15 digits' })
  @IsString()
  @ValidateBy(
    { name: 'isSmsSender', validator: { validate: (value) => typeof value === 'string' && isSmsSender(value) } },
    { message: 'must be 1 to 11 letters, digits, spaces or -_.&, or 3 to 15 digits' },
  )
  sender!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: '919800000001',
    description: 'A number with its country code, several with commas between, or an array; at most 10,000',
  })
  @IsDefined()
  to!: unknown;

  @ApiProperty({ example: 'Your order has shipped.', description: 'At most 10 parts' })
  @IsString()
  @NotBlank()
  text!: string;

  @ApiProperty({ enum: LANES, description: 'Transactional, promotional, or a one-time password' })
  @IsIn(LANES)
  type!: Lane;

  @ApiPropertyOptional({ enum: [0, 1], description: '1 sends the text as UCS-2 whatever its characters' })
  @Optional()
  @IsIn([0, 1])
  unicode?: 0 | 1;

  @ApiPropertyOptional({ enum: [0, 1], description: '1 shows the text on the screen at once' })
  @Optional()
  @IsIn([0, 1])
  flash?: 0 | 1;

  @ApiPropertyOptional({ description: 'A label to find messages by' })
  @Optional()
  @IsString()
  @MaxCodePoints(256)
  campaignName?: string;

  @ApiPropertyOptional({ description: 'Your own reference' })
  @Optional()
  @IsString()
  @MaxCodePoints(255)
  clientRef?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Sends later: a time with its zone, at most 180 days ahead' })
  @Optional()
  @IsString()
  sendAt?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Fails what is not submitted by then, instead of sending it late' })
  @Optional()
  @IsString()
  expiresAt?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_RATE_PER_SECOND, description: 'Spreads a bulk: so many messages per second' })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_RATE_PER_SECOND)
  ratePerSecond?: number;

  /** `sendAt` and `expiresAt` as times; null when they are not there. */
  goesOutAt: Date | null = null;
  endsAt: Date | null = null;

  /** `to` as digits, in order; message n goes to recipients[n - 1]. */
  recipients: string[] = [];

  /** Parts of one message, each a credit. */
  credits = 0;

  /** Works out the recipients and the parts, and tells what is wrong with them. */
  static settle(request: SmsRequest): Violation[] {
    return [...settleRecipients(request), ...settleParts(request), ...settleTimes(request)];
  }
}

function settleRecipients(request: SmsRequest): Violation[] {
  const { to } = request;
  if (to === undefined || to === null) return []; // told already
  if (typeof to === 'string') return settleList(request, to.split(','), (index, count) => (count === 1 ? 'to' : `to[${index}]`));
  if (!Array.isArray(to)) return [{ field: 'to', rule: 'invalid_type', message: 'must be a string or an array of strings' }];
  return settleList(request, to, (index) => `to[${index}]`);
}

function settleList(request: SmsRequest, numbers: unknown[], fieldOf: (index: number, count: number) => string): Violation[] {
  if (numbers.length === 0) return [{ field: 'to', rule: 'too_few_items', message: 'must have at least 1 item' }];
  if (numbers.length > MAX_RECIPIENTS)
    return [{ field: 'to', rule: 'too_many_items', message: `must have at most ${MAX_RECIPIENTS} items` }];
  const violations: Violation[] = [];
  numbers.forEach((number, index) => {
    const digits = typeof number === 'string' ? parseMsisdn(number) : undefined;
    if (digits === undefined) violations.push(badNumber(fieldOf(index, numbers.length), number));
    else request.recipients.push(digits);
  });
  return violations;
}

function badNumber(field: string, value: unknown): Violation {
  if (value === null) return { field, rule: 'null_not_allowed', message: 'must not be null' };
  if (typeof value !== 'string') return { field, rule: 'invalid_type', message: 'must be a string' };
  return { field, rule: 'invalid_format', message: 'must be a phone number of 7 to 15 digits with its country code' };
}

function settleParts(request: SmsRequest): Violation[] {
  if (typeof request.text !== 'string') return []; // told already
  const { parts, encoding } = countParts(request.text, request.unicode === 1);
  request.credits = parts;
  if (parts <= MAX_SMS_PARTS) return [];
  return [{ field: 'text', rule: 'max_length', message: `must be at most ${MAX_SMS_PARTS} parts, and has ${parts} in ${encoding}` }];
}
