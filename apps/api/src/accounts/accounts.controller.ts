import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { ACCOUNT_ID } from '../docs/example-ids.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { AccountChangeRequest, AccountQuery, AccountRequest } from './account.dto.ts';
import { AccountView } from './account.view.ts';
import * as examples from './accounts.examples.ts';
import { AccountsService } from './accounts.service.ts';

@Endpoints('Operations', { scope: 'ops', params: { id: { example: ACCOUNT_ID } } })
@Controller('v1/accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @Endpoint({
    summary: 'List accounts',
    description: 'All accounts of the installation, the oldest first.',
    answer: pageOf(AccountView, [examples.ACCOUNT], 'account'),
  })
  listAccounts(@CurrentAccount() accountId: string, @Query() query: AccountQuery) {
    return this.accounts.list(accountId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create an account',
    description: 'It has no keys and no users yet. An operator who acts in it creates them.',
    status: 201,
    idempotent: true,
    body: examples.ACCOUNT_BODIES,
    answer: dataOf(AccountView, examples.ACCOUNT_CREATED, 'The account was created.'),
  })
  createAccount(@CurrentCall() call: RepeatableCall, @Body() request: AccountRequest) {
    return this.accounts.create({ ...call, request });
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get an account',
    answer: dataOf(AccountView, examples.ACCOUNT, 'The account was found.'),
  })
  getAccount(@Param('id') id: string) {
    return this.accounts.get(id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change an account',
    description:
      'Members that the body omits keep their values. A status is in force within a second, a rate within two, a limit with the next request.',
    body: examples.ACCOUNT_CHANGES,
    answer: dataOf(AccountView, examples.ACCOUNT, 'The account was changed.'),
  })
  changeAccount(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() request: AccountChangeRequest,
  ) {
    return this.accounts.change(caller, id, request);
  }
}
