import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller.ts';
import { AccountView } from '../accounts/account.view.ts';
import { ACCOUNT, ACCOUNT_PAUSED } from '../accounts/accounts.examples.ts';
import { AccountsService } from '../accounts/accounts.service.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { ACCOUNT_ID } from '../docs/example-ids.ts';
import { counted, dataOf } from '../http/answer.ts';
import { LanesQuery } from './lane.dto.ts';
import { LanesView } from './lane.view.ts';
import { LANES } from './lanes.examples.ts';
import { LanesService } from './lanes.service.ts';

@Endpoints('Operations', { scope: 'ops', params: { accountId: { example: ACCOUNT_ID } } })
@Controller('v1/lanes')
export class LanesController {
  constructor(
    private readonly lanes: LanesService,
    private readonly accounts: AccountsService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Show the backlog of the lanes',
    description:
      'Sends that wait, by account and lane, with the reason; by gateway the messages that were sent more than 10 s ago and have no final report; and the pushes to webhooks that wait.',
    answer: dataOf(
      LanesView,
      LANES,
      (view) => `${counted(view.accounts, 'account has', 'accounts have')} something waiting.`,
    ),
    returns: 'The backlogs of at most 100 accounts.',
  })
  getLanes(@Query() query: LanesQuery) {
    return this.lanes.get(query);
  }

  @Post(':accountId/pause')
  @Endpoint({
    summary: 'Pause what an account sends',
    description:
      'Its messages are accepted and wait, on every lane, within two seconds; codes too. Messages that expire meanwhile fail once it is resumed. Those that a gateway throttled before are still sent.',
    answer: dataOf(AccountView, ACCOUNT_PAUSED, 'The account was paused.'),
  })
  pauseAccount(@CurrentCaller() caller: Caller, @Param('accountId') id: string) {
    return this.accounts.setPaused(caller, id, true);
  }

  @Post(':accountId/resume')
  @Endpoint({
    summary: 'Resume what an account sends',
    answer: dataOf(AccountView, ACCOUNT, 'The account was resumed.'),
  })
  resumeAccount(@CurrentCaller() caller: Caller, @Param('accountId') id: string) {
    return this.accounts.setPaused(caller, id, false);
  }
}
