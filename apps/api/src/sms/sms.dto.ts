import { SMS_LANES, type SmsLane } from '@signalbox/domain/lane';
import { MAX_RATE_PER_SECOND, MAX_RECIPIENTS, MAX_SMS_PARTS } from '@signalbox/domain/limits';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { countParts } from '@signalbox/domain/sms/parts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { IsDefined, IsIn, IsString, ValidateIf } from 'class-validator';
import { MSISDN_PATTERN } from '../docs/rule-keywords.ts';
import { type Violation, violation } from '@signalbox/domain/violation';
import { Nested } from '@signalbox/gateways/nested';
import { FilledText, IsSmsSender, NotBlank, Optional, notMsisdn, splitList } from '../http/rules.ts';
import { SendOptions } from '../sending/send-options.dto.ts';
import { readTimes } from '../sending/send-times.ts';
import { ShortenUrlData } from './shorten-url.dto.ts';
import { checkVariant, tooManyParts } from './sms-variant.ts';

/** An SMS for one or many recipients. */
export class SmsRequest extends SendOptions {
  @ApiProperty({
    required: false,
    example: 'SIGNALBX',
    description:
      'Sender id: up to 11 letters, digits, spaces or `-_.&`, or a number of 3 to 15 digits. Optional with a template that has a sender.',
  })
  @ValidateIf((request: SmsRequest) => request.sender !== undefined || request.templateId === undefined)
  @IsString()
  @IsSmsSender()
  sender?: string;

  @ApiProperty({
    oneOf: [
      { type: 'string', minLength: 7 },
      {
        type: 'array',
        minItems: 1,
        maxItems: MAX_RECIPIENTS,
        items: { type: 'string', pattern: MSISDN_PATTERN },
      },
    ],
    example: '919800000100',
    description:
      'Recipients: a phone number with its country code, a comma-separated list of numbers, or an array; at most 10,000.',
  })
  @IsDefined()
  to!: unknown;

  @ApiProperty({
    required: false,
    example: 'Your order has shipped.',
    description: 'Text of the message, at most 10 parts. Optional with `templateId`.',
  })
  @ValidateIf((request: SmsRequest) => request.text !== undefined || request.templateId === undefined)
  @IsString()
  @NotBlank()
  text?: string;

  @ApiProperty({
    enum: SMS_LANES,
    description: 'Transactional, promotional, or one-time password. Each type is sent over its own lane.',
  })
  @IsIn(SMS_LANES)
  type!: SmsLane;

  @ApiPropertyOptional({
    enum: [0, 1],
    description: '`1` sends the text as UCS-2. By default the encoding follows from its characters.',
  })
  @Optional()
  @IsIn([0, 1])
  unicode?: 0 | 1;

  @ApiPropertyOptional({
    enum: [0, 1],
    description: '`1` shows the text on the screen immediately, without storing it on the phone.',
  })
  @Optional()
  @IsIn([0, 1])
  flash?: 0 | 1;

  @ApiPropertyOptional({
    description:
      'Id of an SMS template. With `text`, the text must match the template; without, `custom` fills it.',
  })
  @Optional()
  @FilledText(100)
  templateId?: string;

  @ApiPropertyOptional({
    type: 'array',
    maxItems: MAX_RECIPIENTS,
    items: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description:
      'Values for the variables of the template, in order: one list for all recipients, or one list per recipient. Empty for a template without variables.',
  })
  @Optional()
  custom?: unknown;

  @ApiPropertyOptional({
    description:
      'Replaces `{{shortUrl}}`, or `{{shortUrl1}}`, `{{shortUrl2}}` and so on, with a short link of each recipient.',
  })
  @Optional()
  @Nested(() => ShortenUrlData)
  shortenUrlData?: ShortenUrlData;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: MAX_RATE_PER_SECOND,
    description: 'Maximum messages per second of this send. By default it is sent as fast as possible.',
  })
  @Optional()
  @IsIntBetween(1, MAX_RATE_PER_SECOND)
  ratePerSecond?: number;

  /** `to` as digits, in order: message n is for recipients[n - 1]. */
  recipients: string[] = [];

  /** Parts of one message, each a credit. 0 where a template or links decide: then the composer counts them. */
  credits = 0;

  /** Sets `recipients`, `credits` and the times, and checks the rules that span several fields. */
  static check(request: SmsRequest): Violation[] {
    const violations = readRecipients(request);
    return [
      ...violations,
      ...checkVariant(request, violations.length === 0 ? request.recipients.length : undefined),
      ...readParts(request),
      ...readTimes(request),
    ];
  }
}

function readRecipients(request: SmsRequest): Violation[] {
  const { to } = request;
  if (to === undefined || to === null) return [];
  if (typeof to === 'string')
    return readList(request, splitList(to), (index, count) => (count === 1 ? 'to' : `to[${index}]`));
  if (!Array.isArray(to)) return [violation('to', 'invalid_type', 'must be a string or an array of strings')];
  return readList(request, to, (index) => `to[${index}]`);
}

function readList(
  request: SmsRequest,
  numbers: unknown[],
  fieldOf: (index: number, count: number) => string,
): Violation[] {
  if (numbers.length === 0) return [violation('to', 'too_few_items', 'must have at least 1 item')];
  if (numbers.length > MAX_RECIPIENTS)
    return [violation('to', 'too_many_items', `must have at most ${MAX_RECIPIENTS} items`)];
  const violations: Violation[] = [];
  numbers.forEach((number, index) => {
    const digits = typeof number === 'string' ? parseMsisdn(number) : undefined;
    if (digits === undefined) violations.push(badNumber(fieldOf(index, numbers.length), number));
    else request.recipients.push(digits);
  });
  return violations;
}

function badNumber(field: string, value: unknown): Violation {
  if (value === null) return violation(field, 'null_not_allowed', 'must not be null');
  if (typeof value !== 'string') return violation(field, 'invalid_type', 'must be a string');
  return violation(field, 'invalid_format', notMsisdn(value));
}

function readParts(request: SmsRequest): Violation[] {
  if (typeof request.text !== 'string' || request.shortenUrlData) return [];
  const { parts, encoding } = countParts(request.text, request.unicode === 1);
  request.credits = parts;
  if (parts <= MAX_SMS_PARTS) return [];
  return [tooManyParts('text', { parts, encoding })];
}
