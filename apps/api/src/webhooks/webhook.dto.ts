import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PLACEHOLDERS } from '@signalbox/domain/webhooks/delivery-report';
import { LANES, type Lane } from '@signalbox/domain/lane';
import { CHAT_EVENTS, type ChatEvent, PUSHED_STATUSES } from '@signalbox/domain/webhooks/push-filters';
import type { Violation } from '@signalbox/domain/violation';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { MaxCodePoints, NotBlank, Nullable, Optional } from '../http/rules.ts';
import { brokenRules } from './webhook-settings.ts';

const MAX_LISTED = 50;

export class WebhookHeader {
  @ApiProperty({ example: 'Message-Id' })
  @IsString()
  key!: string;

  @ApiProperty({ example: '{{messageId}}', description: 'Exactly one placeholder' })
  @IsString()
  value!: string;
}

/** Which reports are pushed: those that match every list that is given. */
class WebhookFilters {
  @ApiPropertyOptional({ enum: LANES, isArray: true, description: 'The `type` that the SMS was sent with' })
  @Optional()
  @IsArray()
  @ArrayUnique()
  @IsIn(LANES, { each: true })
  type?: Lane[];

  @ApiPropertyOptional({
    enum: PUSHED_STATUSES.chatapp,
    isArray: true,
    description: '`Read` with the channel chatapp only, where it narrows `message.status` alone',
  })
  @Optional()
  @IsArray()
  @ArrayUnique()
  @IsIn(PUSHED_STATUSES.chatapp, { each: true })
  status?: string[];

  @ApiPropertyOptional({ type: [String], maxItems: MAX_LISTED, example: ['SIGNALBX'] })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @ArrayUnique()
  @IsString({ each: true })
  @NotBlank({ each: true })
  @MaxCodePoints(15, { each: true })
  sender?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_LISTED,
    example: ['IN', 'DE'],
    description: 'Countries of recipients, ISO 3166-1',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(/^[A-Z]{2}$/, { each: true })
  country?: string[];
}

const END_POINT = {
  example: 'https://example.com/reports',
  description: 'http or https, port 80, 443 or from 1024, a public address',
};

/** What a webhook has a default for. */
class WebhookOptions {
  @ApiPropertyOptional({ description: 'The gateway whose reports are pushed, or any', default: 'any' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  provider?: string;

  @ApiPropertyOptional({ enum: ['GET', 'POST'], default: 'POST' })
  @Optional()
  @IsIn(['GET', 'POST'])
  method?: 'GET' | 'POST';

  @ApiPropertyOptional({ type: [WebhookHeader], maxItems: 50 })
  @Optional()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => WebhookHeader)
  headers?: WebhookHeader[];

  @ApiPropertyOptional({
    enum: PLACEHOLDERS,
    isArray: true,
    description: 'Fields beyond the eight that every report has',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(PLACEHOLDERS.length)
  @IsIn(PLACEHOLDERS, { each: true })
  fields?: string[];

  @ApiPropertyOptional({
    enum: CHAT_EVENTS,
    isArray: true,
    description: 'Kinds of events with the channel chatapp; all unless told',
  })
  @Optional()
  @IsArray()
  @ArrayUnique()
  @IsIn(CHAT_EVENTS, { each: true })
  events?: string[];

  @ApiPropertyOptional({ default: false, description: 'Push Sent too' })
  @Optional()
  @IsBoolean()
  intermediate?: boolean;

  @ApiPropertyOptional({ type: WebhookFilters, description: 'Replaced as a whole' })
  @Optional()
  @ValidateNested()
  @Type(() => WebhookFilters)
  filters?: WebhookFilters;

  @ApiPropertyOptional({
    type: [Number],
    nullable: true,
    maxItems: 24,
    description:
      'Seconds to wait before each further call of a push that failed, at most 8 days in all; null for the default schedule',
    example: [5, 30, 120],
  })
  @Nullable()
  @IsArray()
  @ArrayMaxSize(24)
  @IsInt({ each: true })
  @Min(1, { each: true })
  schedule?: number[] | null;

  @ApiPropertyOptional({
    default: 4,
    minimum: 1,
    maximum: 256,
    description: 'Calls to the end point at the same time',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(256)
  maxInFlight?: number;

  @ApiPropertyOptional({
    nullable: true,
    minimum: 1,
    maximum: 10_000,
    description: 'Calls a second at most; null for no limit',
  })
  @Nullable()
  @IsInt()
  @Min(1)
  @Max(10_000)
  ratePerSecond?: number | null;
}

/** A push to configure (spec 2.7). */
export class WebhookRequest extends WebhookOptions {
  @ApiProperty({ description: 'Unique in the account' })
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  @ApiPropertyOptional({ enum: ['sms', 'chatapp'], default: 'sms' })
  @Optional()
  @IsIn(['sms', 'chatapp'])
  channel?: 'sms' | 'chatapp';

  @ApiProperty(END_POINT)
  @IsString()
  endPoint!: string;

  static settle(request: WebhookRequest): Violation[] {
    return brokenRules(request, request.channel === 'chatapp' ? 'chatapp' : 'sms');
  }
}

/** Settings to look at before they are saved. Those that do not shape a call are checked all the same. */
export class PreviewRequest extends WebhookOptions {
  @ApiPropertyOptional()
  @Optional()
  @IsString()
  @MaxCodePoints(100)
  name?: string;

  @ApiPropertyOptional({
    enum: ['sms', 'chatapp'],
    default: 'sms',
    description: 'With chatapp a sample is the first of `events`',
  })
  @Optional()
  @IsIn(['sms', 'chatapp'])
  channel?: 'sms' | 'chatapp';

  @ApiProperty(END_POINT)
  @IsString()
  endPoint!: string;

  @ApiPropertyOptional({ description: 'A message of the account to show, instead of a sample' })
  @Optional()
  @IsString()
  messageId?: string;

  static settle(request: PreviewRequest): Violation[] {
    return brokenRules(request, request.channel === 'chatapp' ? 'chatapp' : 'sms');
  }
}

/** Which sample a webhook is called with. */
export class TestQuery {
  @ApiPropertyOptional({
    enum: CHAT_EVENTS,
    description: 'One of the `events` of a chat-app webhook; its first unless told',
  })
  @Optional()
  @IsIn(CHAT_EVENTS)
  event?: ChatEvent;
}

/** What may be changed of a webhook; what is left out stays as it is. */
export class WebhookChange extends WebhookOptions {
  @ApiPropertyOptional({ description: 'Unique in the account' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name?: string;

  @ApiPropertyOptional(END_POINT)
  @Optional()
  @IsString()
  endPoint?: string;

  static settle(change: WebhookChange): Violation[] {
    return brokenRules(change, undefined);
  }
}
