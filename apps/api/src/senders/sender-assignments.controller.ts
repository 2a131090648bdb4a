import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { NUMBER } from '../docs/model.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { AssignmentQuery, AssignmentRequest, ReleaseQuery } from './sender.dto.ts';
import { SenderAssignmentView } from './sender.view.ts';
import * as examples from './senders.examples.ts';
import { SendersService } from './senders.service.ts';

@Endpoints('Senders', { scope: 'ops', params: { msisdn: { example: examples.ASSIGNED_NUMBER } } })
@Controller('v1/sender-assignments')
export class SenderAssignmentsController {
  constructor(private readonly senders: SendersService) {}

  @Get()
  @Endpoint({
    summary: 'List the numbers of all accounts',
    description: 'Numbers of chat apps, ordered by number, with those in quarantine.',
    answer: pageOf(SenderAssignmentView, [examples.ASSIGNMENT], 'number'),
  })
  listSenderAssignments(@CurrentAccount() accountId: string, @Query() query: AssignmentQuery) {
    return this.senders.assignments(accountId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Assign a number to an account',
    description:
      'Only this account may then add the number as a sender. It sends from the number and receives the replies: verify first that the customer owns it.',
    status: 201,
    idempotent: true,
    body: examples.ASSIGNMENT_BODIES,
    answer: dataOf(SenderAssignmentView, examples.ASSIGNMENT, 'The number was assigned.'),
  })
  assignSender(@CurrentCall() call: RepeatableCall, @Body() request: AssignmentRequest) {
    return this.senders.assign({ ...call, request });
  }

  @Delete(':msisdn')
  @Endpoint({
    summary: 'Release a number',
    description: 'Ends its assignment, or its quarantine. It is then free for every account.',
    answer: dataOf(
      Type.Object({ msisdn: NUMBER }),
      { msisdn: examples.ASSIGNED_NUMBER },
      'The number was released.',
    ),
  })
  releaseSender(
    @CurrentCaller() caller: Caller,
    @Param('msisdn') msisdn: string,
    @Query() { removeSender }: ReleaseQuery,
  ) {
    return this.senders.release(caller, msisdn, removeSender === 'true');
  }
}
