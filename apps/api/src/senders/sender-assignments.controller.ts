import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { NUMBER } from '../docs/model.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { AssignmentQuery, AssignmentRequest, ReleaseQuery } from './sender.dto.ts';
import { SenderAssignmentView } from './sender.view.ts';
import * as examples from './senders.examples.ts';
import { SendersService } from './senders.service.ts';

@ApiTags('Senders')
@Controller('v1/sender-assignments')
export class SenderAssignmentsController {
  constructor(private readonly senders: SendersService) {}

  @Get()
  @Endpoint({
    id: 'listSenderAssignments',
    scope: 'ops',
    summary: 'List the numbers of all accounts',
    description: 'Numbers of chat apps, ordered by number, with those in quarantine.',
    entries: SenderAssignmentView,
    answer: examples.ASSIGNMENTS_ANSWER,
    returns: 'One page of numbers.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: AssignmentQuery,
  ): Promise<ListAnswer<SenderAssignmentView>> {
    return listAnswer(await this.senders.assignments(accountId, query), 'number');
  }

  @Post()
  @Endpoint({
    id: 'assignSender',
    scope: 'ops',
    summary: 'Assign a number to an account',
    description:
      'Only this account may then add the number as a sender. Who has a number sends as it and receives the replies: verify ownership first.',
    status: 201,
    idempotent: true,
    body: exampleBodies(AssignmentRequest, examples.ASSIGNMENT_BODIES),
    data: SenderAssignmentView,
    answer: examples.ASSIGNED_ANSWER,
    returns: 'The assigned number.',
  })
  async assign(
    @CurrentCall() call: RepeatableCall,
    @Body() request: AssignmentRequest,
  ): Promise<Answer<SenderAssignmentView>> {
    return answer(await this.senders.assign({ ...call, request }), 'The number was assigned.');
  }

  @Delete(':msisdn')
  @Endpoint({
    id: 'releaseSender',
    scope: 'ops',
    summary: 'Release a number',
    description: 'Ends its assignment, or its quarantine. It is then free for every account.',
    params: { msisdn: { example: examples.ASSIGNED_NUMBER } },
    data: Type.Object({ msisdn: NUMBER }),
    answer: examples.RELEASED_ANSWER,
    returns: 'The released number.',
  })
  async release(
    @Param('msisdn') msisdn: string,
    @Query() { removeSender }: ReleaseQuery,
  ): Promise<Answer<{ msisdn: string }>> {
    return answer(await this.senders.release(msisdn, removeSender === 'true'), 'The number was released.');
  }
}
