import { Body, Controller, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { SendQuery } from '../sending/send-options.dto.ts';
import type { SendResult } from '../sending/send-result.ts';
import type { DryRun } from './dry-run.ts';
import { SmsRequest } from './sms.dto.ts';
import { SMS_ANSWER, SMS_BODIES } from './sms.examples.ts';
import { SmsService } from './sms.service.ts';

@ApiTags('SMS')
@Controller('v1/sms')
export class SmsController {
  constructor(private readonly sms: SmsService) {}

  /** Accepts one SMS for one or many recipients; the answer names every message before any is sent (spec 4.8). */
  @Post()
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'sendSms',
    summary: 'Send an SMS to one or many recipients',
    description:
      'All recipients are valid or nothing is stored. A 200 means that the messages are on disk; their reports follow. With `dryRun=true` nothing is stored or sent, and the answer says what would be. Scope: `send`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(SmsRequest, SMS_BODIES))
  @ApiResponse(
    described(
      200,
      'Accepted. `unicode: 1` and `flash: 1` are echoed, the latter in each element of `data`.',
      SMS_ANSWER,
    ),
  )
  send(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: SmsRequest,
    @Query() { dryRun }: SendQuery,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResult | DryRun> {
    if (dryRun === 'true') return this.sms.tryOut(caller, request);
    return this.sms.submit(caller, request, idempotencyKey, reply);
  }
}
