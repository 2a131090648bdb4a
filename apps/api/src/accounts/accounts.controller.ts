import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { AccountChangeRequest, AccountQuery, AccountRequest } from './account.dto.ts';
import { AccountView } from './account.view.ts';
import * as examples from './accounts.examples.ts';
import { AccountsService } from './accounts.service.ts';

const params = { id: { example: examples.ACCOUNT_ID } };

@ApiTags('Operations')
@Controller('v1/accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @Endpoint({
    id: 'listAccounts',
    scope: 'ops',
    summary: 'List accounts',
    description: 'All accounts of the installation, the oldest first.',
    entries: AccountView,
    answer: examples.ACCOUNTS_ANSWER,
    returns: 'One page of accounts.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: AccountQuery,
  ): Promise<ListAnswer<AccountView>> {
    return listAnswer(await this.accounts.list(accountId, query), 'account');
  }

  @Post()
  @Endpoint({
    id: 'createAccount',
    scope: 'ops',
    summary: 'Create an account',
    description: 'It has no keys and no users yet. An operator who acts in it creates them.',
    status: 201,
    idempotent: true,
    body: exampleBodies(AccountRequest, examples.ACCOUNT_BODIES),
    data: AccountView,
    answer: examples.ACCOUNT_CREATED,
    returns: 'The account.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: AccountRequest,
  ): Promise<Answer<AccountView>> {
    return answer(await this.accounts.create({ ...call, request }), 'The account was created.');
  }

  @Get(':id')
  @Endpoint({
    id: 'getAccount',
    scope: 'ops',
    summary: 'Get an account',
    params,
    data: AccountView,
    answer: examples.ACCOUNT_ANSWER,
    returns: 'The account.',
  })
  async get(@Param('id') id: string): Promise<Answer<AccountView>> {
    return answer(await this.accounts.get(id), 'The account was found.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeAccount',
    scope: 'ops',
    summary: 'Change an account',
    description:
      'Members that the body omits keep their values. A status is in force within a second, a rate within two, a limit with the next request.',
    params,
    body: exampleBodies(AccountChangeRequest, examples.ACCOUNT_CHANGES),
    data: AccountView,
    answer: examples.ACCOUNT_CHANGED,
    returns: 'The changed account.',
  })
  async change(@Param('id') id: string, @Body() request: AccountChangeRequest): Promise<Answer<AccountView>> {
    return answer(await this.accounts.change(id, request), 'The account was changed.');
  }
}
