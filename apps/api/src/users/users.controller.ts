import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { USER_ID } from '../docs/example-ids.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { UserChange, UserRequest } from './user.dto.ts';
import { InvitedUserView, SignInLinkView, UserView } from './user.view.ts';
import * as examples from './users.examples.ts';
import { UsersService } from './users.service.ts';

@Endpoints('Users', { scope: 'manage', params: { id: { example: USER_ID } } })
@Controller('v1/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Endpoint({
    summary: 'List users',
    description:
      'The users of the account, newest first. Callers with the scope `ops` also see the operators.',
    answer: pageOf(UserView, [examples.USER], 'user'),
  })
  listUsers(@CurrentCaller() caller: Caller, @Query() query: PageQuery) {
    return this.users.list(caller, query);
  }

  @Post()
  @Endpoint({
    summary: 'Invite a user',
    description:
      'Creates a user and a sign-in link, which works once, for 48 hours; hand it to the user. Only operators can add a user of another account, whose password and sessions end.',
    status: 201,
    idempotent: true,
    body: examples.USER_BODIES,
    answer: dataOf(InvitedUserView, examples.INVITED, 'The user was invited.'),
    returns: 'The user and the link.',
  })
  createUser(@CurrentCall() call: RepeatableCall, @Body() request: UserRequest) {
    return this.users.create({ ...call, request });
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a user',
    description:
      'Changes the role, or disables or enables the user in the account. Disabling ends the sessions. The last admin stays.',
    body: examples.USER_CHANGES,
    answer: dataOf(UserView, examples.USER_CHANGED, 'The user was changed.'),
  })
  changeUser(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() change: UserChange) {
    return this.users.change(caller, id, change);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Remove a user',
    description: 'Removes the user from the account, and ends the sessions there. The last admin stays.',
    answer: dataOf(DELETED, { id: USER_ID }, 'The user was removed.'),
  })
  deleteUser(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.users.remove(caller, id);
  }

  @Post(':id/link')
  @Endpoint({
    summary: 'Reset the password of a user',
    description:
      'Removes the password, ends all sessions of the user, and makes a sign-in link that works once, for ten minutes. Refused for users of other accounts.',
    answer: dataOf(SignInLinkView, examples.LINK, 'Hand the link to the user.'),
    returns: 'The link.',
  })
  createSignInLink(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.users.makeLink(caller, id);
  }

  @Delete(':id/totp')
  @Endpoint({
    summary: 'Remove the second factor of a user',
    description: 'Ends all sessions of the user. Refused for users of other accounts.',
    answer: dataOf(UserView, examples.TOTP_RESET, 'The second factor was removed.'),
  })
  resetUserTotp(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.users.resetTotp(caller, id);
  }
}
