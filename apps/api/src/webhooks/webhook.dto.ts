import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PLACEHOLDERS } from '@signalbox/domain/delivery-report';
import { checkEndPoint, checkHeaders } from '@signalbox/domain/webhook-rules';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString, Max, Min, ValidateNested } from 'class-validator';
import type { Violation } from '@signalbox/domain/violation';
import { MaxCodePoints, NotBlank, Optional, ReadInteger } from '../http/rules.ts';

export class WebhookHeader {
  @ApiProperty({ example: 'Message-Id' })
  @IsString()
  key!: string;

  @ApiProperty({ example: '{{messageId}}', description: 'Exactly one placeholder' })
  @IsString()
  value!: string;
}

/** A delivery-report push to configure (spec 2.7). */
export class WebhookRequest {
  @ApiProperty({ description: 'Unique in the account' })
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  @ApiPropertyOptional({ enum: ['sms'] })
  @Optional()
  @IsIn(['sms'])
  channel = 'sms' as const;

  @ApiPropertyOptional({ description: 'The gateway whose reports are pushed, or any' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  provider: string = 'any';

  @ApiPropertyOptional({ enum: ['GET', 'POST'], default: 'POST' })
  @Optional()
  @IsIn(['GET', 'POST'])
  method: 'GET' | 'POST' = 'POST';

  @ApiProperty({ example: 'https://example.com/reports', description: 'http or https, port 80, 443 or from 1024, a public address' })
  @IsString()
  endPoint!: string;

  @ApiPropertyOptional({ type: [WebhookHeader] })
  @Optional()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => WebhookHeader)
  headers: WebhookHeader[] = [];

  @ApiPropertyOptional({ enum: PLACEHOLDERS, isArray: true, description: 'Fields beyond the eight that every report has' })
  @Optional()
  @IsArray()
  @ArrayMaxSize(PLACEHOLDERS.length)
  @IsIn(PLACEHOLDERS, { each: true })
  fields: string[] = [];

  @ApiPropertyOptional({ default: 4, minimum: 1, maximum: 256, description: 'Calls to the end point at the same time' })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(256)
  maxInFlight: number = 4;

  /** What concerns several fields at once, as far as they are of their types. */
  static settle(request: WebhookRequest): Violation[] {
    const headers = Array.isArray(request.headers) ? request.headers.filter(isHeader) : [];
    if (headers.length !== request.headers?.length) return []; // told already
    return [...(typeof request.endPoint === 'string' ? checkEndPoint(request) : []), ...checkHeaders(headers)];
  }
}

function isHeader(header: unknown): header is WebhookHeader {
  const { key, value } = (header ?? {}) as Partial<WebhookHeader>;
  return typeof key === 'string' && typeof value === 'string';
}

/** A page of a list. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 200, default: 50 })
  @Optional()
  @ReadInteger()
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  @ApiPropertyOptional({ description: 'The nextCursor of the page before' })
  @Optional()
  @IsString()
  cursor?: string;
}
