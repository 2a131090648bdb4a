import { Body, Controller, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { plain } from '../http/answer.ts';
import { Direct } from '../http/direct-endpoints.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SendQuery } from '../sending/send-options.dto.ts';
import { SendResult } from '../sending/send-result.ts';
import { DryRun } from './dry-run.ts';
import { SmsRequest } from './sms.dto.ts';
import { SMS_ANSWER, SMS_BODIES } from './sms.examples.ts';
import { SmsService } from './sms.service.ts';

@Endpoints('SMS', { scope: 'send' })
@Controller('v1/sms')
export class SmsController {
  constructor(private readonly sms: SmsService) {}

  @Post()
  @Direct()
  @Endpoint({
    traffic: true,
    unlimited: true,
    summary: 'Send an SMS to one or many recipients',
    description:
      'If any recipient is invalid, nothing is stored. A 200 means that the messages are stored durably; delivery reports follow. With `dryRun=true` nothing is stored or sent, and the response shows the rendered texts and their cost.',
    idempotent: true,
    body: SMS_BODIES,
    answer: plain(Type.Union([SendResult, DryRun]), SMS_ANSWER),
    returns: 'Accepted. `unicode: 1` is echoed at the top level, `flash: 1` in each element of `data`.',
  })
  sendSms(
    @CurrentCall() call: RepeatableCall,
    @Body() request: SmsRequest,
    @Query() { dryRun }: SendQuery,
  ): Promise<SendResult | DryRun> {
    return dryRun === 'true' ? this.sms.dryRun(call, request) : this.sms.accept(call, request);
  }
}
