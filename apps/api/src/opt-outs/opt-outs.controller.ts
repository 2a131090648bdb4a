import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, counted, listAnswer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { OptOutQuery, OptOutRequest } from './opt-out.dto.ts';
import { OptOutView } from './opt-out.view.ts';
import * as examples from './opt-outs.examples.ts';
import { OptOutsService } from './opt-outs.service.ts';

const params = { id: { example: examples.OPT_OUT_ID } };

@ApiTags('SMS')
@Controller('v1/opt-outs')
export class OptOutsController {
  constructor(private readonly optOuts: OptOutsService) {}

  @Post()
  @Endpoint({
    id: 'addOptOuts',
    scope: 'manage',
    summary: 'Add opt-outs',
    description:
      'TRANS and PROMO messages to these numbers are refused with `recipient_opted_out`; within a bulk they fail with errCode 903. OTP messages are still sent.',
    status: 201,
    idempotent: true,
    body: exampleBodies(OptOutRequest, examples.OPT_OUT_BODIES),
    data: Type.Array(OptOutView),
    answer: examples.ADDED_ANSWER,
    returns: 'The new opt-outs.',
  })
  async add(
    @CurrentCall() call: RepeatableCall,
    @Body() request: OptOutRequest,
  ): Promise<Answer<OptOutView[]>> {
    const added = await this.optOuts.add({ ...call, request });
    return answer(added, `${counted(added.length, 'opt-out was', 'opt-outs were')} added.`);
  }

  @Get()
  @Endpoint({
    id: 'listOptOuts',
    scope: 'manage',
    summary: 'List opt-outs',
    description: 'Newest first.',
    entries: OptOutView,
    answer: examples.LIST_ANSWER,
    returns: 'One page of opt-outs.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: OptOutQuery,
  ): Promise<ListAnswer<OptOutView>> {
    return listAnswer(await this.optOuts.list(accountId, query), 'opt-out');
  }

  @Get(':id')
  @Endpoint({
    id: 'getOptOut',
    scope: 'manage',
    summary: 'Get an opt-out',
    params,
    data: OptOutView,
    answer: examples.FOUND_ANSWER,
    returns: 'The opt-out.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<OptOutView>> {
    return answer(await this.optOuts.get(accountId, id), 'The opt-out was found.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteOptOut',
    scope: 'manage',
    summary: 'Delete an opt-out',
    description: 'The number can be sent to again.',
    params,
    data: DELETED,
    answer: examples.DELETED_ANSWER,
    returns: 'The id of the deleted opt-out.',
  })
  async delete(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    return answer(await this.optOuts.delete(accountId, id), 'The opt-out was deleted.');
  }
}
