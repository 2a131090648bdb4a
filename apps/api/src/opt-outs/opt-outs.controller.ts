import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { DELETED, counted, dataOf, pageOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { OptOutQuery, OptOutRequest } from './opt-out.dto.ts';
import { OptOutView } from './opt-out.view.ts';
import * as examples from './opt-outs.examples.ts';
import { OptOutsService } from './opt-outs.service.ts';

@Endpoints('SMS', { scope: 'manage', params: { id: { example: examples.OPT_OUT_ID } } })
@Controller('v1/opt-outs')
export class OptOutsController {
  constructor(private readonly optOuts: OptOutsService) {}

  @Post()
  @Endpoint({
    summary: 'Add opt-outs',
    description:
      'SMS and chat-app messages to these numbers are refused with `recipient_opted_out`; within a bulk they fail with errCode 903. One-time passwords (type OTP, AUTHENTICATION templates) are still sent.',
    status: 201,
    idempotent: true,
    body: examples.OPT_OUT_BODIES,
    answer: dataOf(
      Type.Array(OptOutView),
      examples.ADDED,
      (added) => `${counted(added.length, 'opt-out was', 'opt-outs were')} added.`,
    ),
    returns: 'The new opt-outs.',
  })
  addOptOuts(@CurrentCall() call: RepeatableCall, @Body() request: OptOutRequest) {
    return this.optOuts.add({ ...call, request });
  }

  @Get()
  @Endpoint({
    summary: 'List opt-outs',
    description: 'Newest first.',
    answer: pageOf(OptOutView, [examples.OPT_OUT], 'opt-out'),
  })
  listOptOuts(@CurrentAccount() accountId: string, @Query() query: OptOutQuery) {
    return this.optOuts.list(accountId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get an opt-out',
    answer: dataOf(OptOutView, examples.OPT_OUT, 'The opt-out was found.'),
  })
  getOptOut(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.optOuts.get(accountId, id);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete an opt-out',
    description: 'The number can be sent to again.',
    answer: dataOf(DELETED, { id: examples.OPT_OUT_ID }, 'The opt-out was deleted.'),
  })
  deleteOptOut(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.optOuts.delete(caller, id);
  }
}
