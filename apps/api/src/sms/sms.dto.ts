import { LANES, type Lane } from '@signalbox/domain/lane';
import { MAX_RATE_PER_SECOND, MAX_RECIPIENTS, MAX_SMS_PARTS } from '@signalbox/domain/limits';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { countParts } from '@signalbox/domain/sms/parts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsIn, IsInt, IsString, Max, Min, ValidateIf, ValidateNested } from 'class-validator';
import type { Violation } from '@signalbox/domain/violation';
import { IsSmsSender, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';
import { SendOptions } from '../sending/send-options.dto.ts';
import { settleTimes } from '../sending/send-times.ts';
import { ShortenUrlData } from './shorten-url.dto.ts';
import { checkVariant, tooManyParts } from './sms-variant.ts';

/** An SMS for one or many recipients (spec 4.8). */
export class SmsRequest extends SendOptions {
  @ApiProperty({
    required: false,
    example: 'SIGNALBX',
    description:
      'Up to 11 GSM letters, digits, space or -_.&, or 3 to 15 digits; may be left to a template that has one',
  })
  @ValidateIf((request: SmsRequest) => request.sender !== undefined || request.templateId === undefined)
  @IsString()
  @IsSmsSender()
  sender?: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: '919800000001',
    description: 'A number with its country code, several with commas between, or an array; at most 10,000',
  })
  @IsDefined()
  to!: unknown;

  @ApiProperty({
    required: false,
    example: 'Your order has shipped.',
    description: 'At most 10 parts; may be left to a template',
  })
  @ValidateIf((request: SmsRequest) => request.text !== undefined || request.templateId === undefined)
  @IsString()
  @NotBlank()
  text?: string;

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

  @ApiPropertyOptional({
    description: 'An SMS template: with `text`, which then must match it, or with `custom`',
  })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  templateId?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description:
      'Fills the text of the template: one value per variable, or one such list per recipient; empty when it has none',
  })
  @Optional()
  custom?: unknown;

  @ApiPropertyOptional({
    description:
      'Makes `{{shortUrl}}`, or `{{shortUrl1}}`, `{{shortUrl2}}`…, in the text short links of each recipient',
  })
  @Optional()
  @ValidateNested()
  @Type(() => ShortenUrlData)
  shortenUrlData?: ShortenUrlData;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: MAX_RATE_PER_SECOND,
    description: 'Spreads a bulk: so many messages per second',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_RATE_PER_SECOND)
  ratePerSecond?: number;

  /** `to` as digits, in order; message n goes to recipients[n - 1]. */
  recipients: string[] = [];

  /** Parts of one message, each a credit; 0 when they are not known without the template or the links. */
  credits = 0;

  /** Works out the recipients and the parts, and tells what is wrong with the fields together. */
  static settle(request: SmsRequest): Violation[] {
    const violations = settleRecipients(request);
    return [
      ...violations,
      ...checkVariant(request, violations.length === 0),
      ...settleParts(request),
      ...settleTimes(request),
    ];
  }
}

function settleRecipients(request: SmsRequest): Violation[] {
  const { to } = request;
  if (to === undefined || to === null) return []; // told already
  if (typeof to === 'string')
    return settleList(request, to.split(','), (index, count) => (count === 1 ? 'to' : `to[${index}]`));
  if (!Array.isArray(to))
    return [{ field: 'to', rule: 'invalid_type', message: 'must be a string or an array of strings' }];
  return settleList(request, to, (index) => `to[${index}]`);
}

function settleList(
  request: SmsRequest,
  numbers: unknown[],
  fieldOf: (index: number, count: number) => string,
): Violation[] {
  if (numbers.length === 0)
    return [{ field: 'to', rule: 'too_few_items', message: 'must have at least 1 item' }];
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
  return {
    field,
    rule: 'invalid_format',
    message: 'must be a phone number of 7 to 15 digits with its country code',
  };
}

function settleParts(request: SmsRequest): Violation[] {
  if (typeof request.text !== 'string' || request.shortenUrlData) return []; // told already, or not known yet
  const { parts, encoding } = countParts(request.text, request.unicode === 1);
  request.credits = parts;
  if (parts <= MAX_SMS_PARTS) return [];
  return [tooManyParts('text', { parts, encoding })];
}
