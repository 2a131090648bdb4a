import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { CHANNELS } from '@signalbox/domain/channel';
import { MAX_SENDER_LENGTH } from '@signalbox/domain/sms/sender';
import { MaxCodePoints, Optional } from './rules.ts';

/* Fields that filters share. Each is optional. Decorators are given from the last to the first. */

const MAX_CAMPAIGN = 256;
const MAX_REFERENCE = 255;

/** A channel. */
export function ChannelFilter(): PropertyDecorator {
  return applyDecorators(
    IsIn(CHANNELS),
    Optional(),
    ApiPropertyOptional({ enum: CHANNELS, description: 'Only messages of this channel.' }),
  );
}

/** The campaign of a send. */
export function CampaignFilter(): PropertyDecorator {
  return TextFilter(MAX_CAMPAIGN, '`campaignName` of the send.');
}

/** The caller's reference of a send. */
export function ReferenceFilter(): PropertyDecorator {
  return TextFilter(MAX_REFERENCE, '`clientRef` of the send.');
}

/** The sender of a send. */
export function SenderFilter(): PropertyDecorator {
  return TextFilter(MAX_SENDER_LENGTH, '`sender` of an SMS, or `from` of a chat-app message.');
}

/** A text of at most `max` code points. */
export function TextFilter(max: number, description: string, example?: string): PropertyDecorator {
  return applyDecorators(
    MaxCodePoints(max),
    IsString(),
    Optional(),
    ApiPropertyOptional({ description, ...(example && { example }) }),
  );
}

/** A time in ISO 8601; `readTimes` parses and checks it. */
export function TimeFilter(description: string, example?: string): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Optional(),
    ApiPropertyOptional({ format: 'date-time', description, ...(example && { example }) }),
  );
}
