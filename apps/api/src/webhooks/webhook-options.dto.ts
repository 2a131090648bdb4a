import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PLACEHOLDERS } from '@signalbox/domain/webhooks/report-fields';
import { SMS_LANES, type SmsLane } from '@signalbox/domain/lane';
import { MAX_BATCH, MAX_BATCH_WAIT_MS } from '@signalbox/domain/webhooks/push-batch';
import { CHAT_EVENTS, PUSHED_STATUSES } from '@signalbox/domain/webhooks/push-filters';
import { DistinctTexts, DistinctWords } from '@signalbox/gateways/distinct-texts';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { Nested, NestedList } from '@signalbox/gateways/nested';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsString, Min } from 'class-validator';
import { AreCountries, MaxCodePoints, NotBlank, Nullable, Optional } from '../http/rules.ts';

const MAX_LISTED = 50;

/** A header of each push. */
class WebhookHeader {
  @ApiProperty({ example: 'Message-Id', description: 'Name of the header' })
  @IsString()
  key!: string;

  @ApiProperty({ example: '{{messageId}}', description: 'Exactly one placeholder' })
  @IsString()
  value!: string;
}

/** Selects the reports to push. A report must match every given list. */
class WebhookFilters {
  @ApiPropertyOptional({ enum: SMS_LANES, isArray: true, description: '`type` of the SMS' })
  @Optional()
  @DistinctWords(SMS_LANES)
  type?: SmsLane[];

  @ApiPropertyOptional({
    enum: PUSHED_STATUSES.chatapp,
    isArray: true,
    description:
      'Statuses to push. `Read` requires the channel chatapp. Filters `message.status` events only.',
  })
  @Optional()
  @DistinctWords(PUSHED_STATUSES.chatapp)
  status?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_LISTED,
    example: ['SIGNALBX'],
    description: 'Senders of the messages',
  })
  @Optional()
  @DistinctTexts(MAX_LISTED)
  @NotBlank({ each: true })
  @MaxCodePoints(15, { each: true })
  sender?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_LISTED,
    example: ['IN', 'DE'],
    description: 'Countries of the recipients, as ISO 3166-1 alpha-2 codes',
  })
  @Optional()
  @DistinctTexts(MAX_LISTED)
  @AreCountries()
  country?: string[];
}

/** Several reports in one call. */
class WebhookBatch {
  @ApiProperty({
    example: 100,
    minimum: 1,
    maximum: MAX_BATCH,
    description: 'Maximum number of reports in a call',
  })
  @IsIntBetween(1, MAX_BATCH)
  max!: number;

  @ApiProperty({
    example: 200,
    minimum: 0,
    maximum: MAX_BATCH_WAIT_MS,
    description: 'Maximum time that a report waits for others, in milliseconds',
  })
  @IsIntBetween(0, MAX_BATCH_WAIT_MS)
  waitMs!: number;
}

export const WEBHOOK_NAME = { description: 'Name of the webhook, unique within the account' };

export const END_POINT = {
  format: 'uri',
  example: 'https://example.com/reports',
  description:
    'URL to call. It must use http or https, a public address, and port 80, 443, or 1024 and above, but not 5432 or 6379. Names below `.local` and `.internal` are refused.',
};

/** Settings of a webhook that have defaults. */
export class WebhookOptions {
  @ApiPropertyOptional({
    default: 'any',
    example: 'simulator',
    description: 'Name of the gateway whose reports are pushed; `any` pushes the reports of all gateways',
  })
  @Optional()
  @IsString()
  provider?: string;

  @ApiPropertyOptional({ enum: ['GET', 'POST'], default: 'POST', description: 'HTTP method of the push' })
  @Optional()
  @IsIn(['GET', 'POST'])
  method?: 'GET' | 'POST';

  @ApiPropertyOptional({
    type: [WebhookHeader],
    maxItems: 50,
    description: 'Headers to send with each push',
  })
  @Optional()
  @NestedList(() => WebhookHeader, { max: 50 })
  headers?: WebhookHeader[];

  @ApiPropertyOptional({
    enum: PLACEHOLDERS,
    isArray: true,
    description: 'Report fields to send in addition to the eight that every report carries',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(PLACEHOLDERS.length)
  @IsIn(PLACEHOLDERS, { each: true })
  fields?: string[];

  @ApiPropertyOptional({
    enum: CHAT_EVENTS,
    isArray: true,
    description:
      'Events to push. For the channel chatapp all by default; for the channel sms none, and `message.received` pushes inbound SMS as well.',
  })
  @Optional()
  @DistinctWords(CHAT_EVENTS)
  events?: string[];

  @ApiPropertyOptional({ default: false, description: 'Also push `Sent`, which is not final' })
  @Optional()
  @IsBoolean()
  intermediate?: boolean;

  @ApiPropertyOptional({
    type: WebhookFilters,
    description: 'Selects the reports to push. A change replaces all filters.',
  })
  @Optional()
  @Nested(() => WebhookFilters)
  filters?: WebhookFilters;

  @ApiPropertyOptional({
    type: [Number],
    nullable: true,
    maxItems: 24,
    description:
      'Seconds to wait before each retry of a failed push, at most 8 days in total; null selects the default schedule',
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
    description: 'Maximum number of concurrent calls to the endpoint',
  })
  @Optional()
  @IsIntBetween(1, 256)
  maxInFlight?: number;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 10_000,
    description: 'Maximum number of calls per second; null removes the limit',
  })
  @Nullable()
  @IsIntBetween(1, 10_000)
  ratePerSecond?: number | null;

  @ApiPropertyOptional({
    type: WebhookBatch,
    nullable: true,
    description:
      'Pushes several reports in one call, as a JSON array; requires POST and no `headers`. null pushes one report in each call.',
  })
  @Nullable()
  @Nested(() => WebhookBatch)
  batch?: WebhookBatch | null;
}
