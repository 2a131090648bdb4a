import { Body, Controller, Headers, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import type { SendResult } from './send-result.ts';
import { SmsRequest } from './sms.dto.ts';
import { SmsService } from './sms.service.ts';

@ApiTags('SMS')
@Controller('v1/sms')
export class SmsController {
  constructor(private readonly sms: SmsService) {}

  /** Accepts one SMS for one or many recipients; the answer names every message before any is sent (spec 4.8). */
  @Post()
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({ summary: 'Send an SMS to one or many recipients' })
  send(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: SmsRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResult> {
    return this.sms.submit(caller, request, idempotencyKey, reply);
  }
}
