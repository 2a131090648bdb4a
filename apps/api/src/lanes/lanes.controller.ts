import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountView } from '../accounts/account.view.ts';
import { ACCOUNT_ID, ACCOUNT_PAUSED, ACCOUNT_RESUMED } from '../accounts/accounts.examples.ts';
import { AccountsService } from '../accounts/accounts.service.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer, counted } from '../http/answer.ts';
import { LanesQuery } from './lane.dto.ts';
import { LanesView } from './lane.view.ts';
import { LANES_ANSWER } from './lanes.examples.ts';
import { LanesService } from './lanes.service.ts';

const params = { accountId: { example: ACCOUNT_ID } };

@ApiTags('Operations')
@Controller('v1/lanes')
export class LanesController {
  constructor(
    private readonly lanes: LanesService,
    private readonly accounts: AccountsService,
  ) {}

  @Get()
  @Endpoint({
    id: 'getLanes',
    scope: 'ops',
    summary: 'Show the backlog of the lanes',
    description:
      'Sends that wait, by account and lane, with the reason; by gateway the messages that were sent more than 10 s ago and have no final report; and the pushes to webhooks that wait.',
    data: LanesView,
    answer: LANES_ANSWER,
    returns: 'The backlogs of at most 100 accounts.',
  })
  async get(@Query() query: LanesQuery): Promise<Answer<LanesView>> {
    const view = await this.lanes.get(query);
    return answer(view, `${counted(view.accounts, 'account has', 'accounts have')} something waiting.`);
  }

  @Post(':accountId/pause')
  @Endpoint({
    id: 'pauseAccount',
    scope: 'ops',
    summary: 'Pause what an account sends',
    description:
      'Its messages are accepted and wait, on every lane, within two seconds; codes too. Messages that expire meanwhile fail once it is resumed. Those that a gateway throttled before are still sent.',
    params,
    data: AccountView,
    answer: ACCOUNT_PAUSED,
    returns: 'The paused account.',
  })
  async pause(@Param('accountId') id: string): Promise<Answer<AccountView>> {
    return answer(await this.accounts.setPaused(id, true), 'The account was paused.');
  }

  @Post(':accountId/resume')
  @Endpoint({
    id: 'resumeAccount',
    scope: 'ops',
    summary: 'Resume what an account sends',
    params,
    data: AccountView,
    answer: ACCOUNT_RESUMED,
    returns: 'The account.',
  })
  async resume(@Param('accountId') id: string): Promise<Answer<AccountView>> {
    return answer(await this.accounts.setPaused(id, false), 'The account was resumed.');
  }
}
