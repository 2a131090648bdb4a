import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import type { Violation } from '@signalbox/domain/violation';
import { CHAT_EVENTS, type ChatEvent } from '@signalbox/domain/webhooks/push-filters';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { FilledText, MaxCodePoints, Optional } from '../http/rules.ts';
import { END_POINT, WEBHOOK_NAME, WebhookOptions } from './webhook-options.dto.ts';
import { checkRequest } from './webhook.rules.ts';

/** A webhook to create. */
export class WebhookRequest extends WebhookOptions {
  @ApiProperty(WEBHOOK_NAME)
  @FilledText(100)
  name!: string;

  @ApiPropertyOptional({
    enum: CHANNELS,
    default: 'sms',
    description: 'Channel whose reports are pushed. It cannot be changed later.',
  })
  @Optional()
  @IsIn(CHANNELS)
  channel?: Channel;

  @ApiProperty(END_POINT)
  @IsString()
  endPoint!: string;

  static check(request: WebhookRequest, passed: Partial<WebhookRequest>): Violation[] {
    return checkRequest(passed, channelOf(request, passed));
  }
}

/** Settings to preview. Settings that do not shape a call are validated, too. */
export class PreviewRequest extends WebhookOptions {
  @ApiPropertyOptional({ description: 'Validated and otherwise unused' })
  @Optional()
  @IsString()
  @MaxCodePoints(100)
  name?: string;

  @ApiPropertyOptional({
    enum: CHANNELS,
    default: 'sms',
    description: 'Channel of the report. A chatapp sample shows the first of `events`.',
  })
  @Optional()
  @IsIn(CHANNELS)
  channel?: Channel;

  @ApiProperty(END_POINT)
  @IsString()
  endPoint!: string;

  @ApiPropertyOptional({ description: 'Message of the account to render; a sample by default' })
  @Optional()
  @IsString()
  messageId?: string;

  static check(request: PreviewRequest, passed: Partial<PreviewRequest>): Violation[] {
    return checkRequest(passed, channelOf(request, passed));
  }
}

/** Settings to test. Settings that do not shape a call are validated, too. */
export class UnsavedTestRequest extends PreviewRequest {
  @ApiPropertyOptional({
    description: 'Webhook whose secret signs the call; a new secret by default, which the response shows',
  })
  @Optional()
  @IsString()
  webhookId?: string;
}

/** Selects the sample to send. */
export class TestQuery {
  @ApiPropertyOptional({
    enum: CHAT_EVENTS,
    description:
      'One of the `events` of the webhook. By default the first of them for a chatapp webhook, and a delivery report for an sms webhook.',
  })
  @Optional()
  @IsIn(CHAT_EVENTS)
  event?: ChatEvent;
}

/** Settings to change. Omitted settings keep their values. */
export class WebhookChange extends WebhookOptions {
  @ApiPropertyOptional(WEBHOOK_NAME)
  @Optional()
  @FilledText(100)
  name?: string;

  @ApiPropertyOptional(END_POINT)
  @Optional()
  @IsString()
  endPoint?: string;

  @ApiPropertyOptional({
    description:
      'false makes no further call to the endpoint and keeps new events for up to 30 days; true enables a disabled webhook, whatever disabled it',
  })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  static check(_: WebhookChange, passed: Partial<WebhookChange>): Violation[] {
    return checkRequest(passed, undefined);
  }
}

type WithChannel = Pick<WebhookRequest, 'channel'>;

/** The channel whose rules apply; undefined when the request names an unknown one. */
function channelOf({ channel = 'sms' }: WithChannel, passed: WithChannel): Channel | undefined {
  return channel === 'sms' ? channel : passed.channel;
}
