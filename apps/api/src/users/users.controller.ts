import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { UserChange, UserRequest } from './user.dto.ts';
import { InvitedUserView, SignInLinkView, UserView } from './user.view.ts';
import * as examples from './users.examples.ts';
import { UsersService } from './users.service.ts';

const params = { id: { example: examples.USER_ID } };

@ApiTags('Users')
@Controller('v1/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Endpoint({
    id: 'listUsers',
    scope: 'manage',
    summary: 'List users',
    description:
      'The users of the account, newest first. Callers with the scope `ops` also see the operators.',
    entries: UserView,
    answer: examples.USERS_ANSWER,
    returns: 'One page of users.',
  })
  async list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<ListAnswer<UserView>> {
    return listAnswer(await this.users.list(caller, query), 'user');
  }

  @Post()
  @Endpoint({
    id: 'createUser',
    scope: 'manage',
    summary: 'Invite a user',
    description:
      'Creates a user and a sign-in link, which works once, for 48 hours; hand it to the user. Only operators can add a user of another account, whose password and sessions end.',
    status: 201,
    idempotent: true,
    body: exampleBodies(UserRequest, examples.USER_BODIES),
    data: InvitedUserView,
    answer: examples.INVITED_ANSWER,
    returns: 'The user and the link.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: UserRequest,
  ): Promise<Answer<InvitedUserView>> {
    return answer(await this.users.create({ ...call, request }), 'The user was invited.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeUser',
    scope: 'manage',
    summary: 'Change a user',
    description:
      'Changes the role, or disables or enables the user in the account. Disabling ends the sessions. The last admin stays.',
    params,
    body: exampleBodies(UserChange, examples.USER_CHANGES),
    data: UserView,
    answer: examples.USER_CHANGED_ANSWER,
    returns: 'The user.',
  })
  async change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() change: UserChange,
  ): Promise<Answer<UserView>> {
    return answer(await this.users.change(caller, id, change), 'The user was changed.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteUser',
    scope: 'manage',
    summary: 'Remove a user',
    description: 'Removes the user from the account, and ends the sessions there. The last admin stays.',
    params,
    data: DELETED,
    answer: examples.USER_REMOVED_ANSWER,
    returns: 'The id of the user.',
  })
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<Answer<{ id: string }>> {
    return answer(await this.users.remove(caller, id), 'The user was removed.');
  }

  @Post(':id/link')
  @Endpoint({
    id: 'createSignInLink',
    scope: 'manage',
    summary: 'Reset the password of a user',
    description:
      'Removes the password, ends all sessions of the user, and makes a sign-in link that works once, for ten minutes. Refused for users of other accounts.',
    params,
    data: SignInLinkView,
    answer: examples.LINK_ANSWER,
    returns: 'The link.',
  })
  async link(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<Answer<SignInLinkView>> {
    return answer(await this.users.makeLink(caller, id), 'Hand the link to the user.');
  }

  @Delete(':id/totp')
  @Endpoint({
    id: 'resetUserTotp',
    scope: 'manage',
    summary: 'Remove the second factor of a user',
    description: 'Ends all sessions of the user. Refused for users of other accounts.',
    params,
    data: UserView,
    answer: examples.TOTP_RESET_ANSWER,
    returns: 'The user.',
  })
  async resetTotp(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<Answer<UserView>> {
    return answer(await this.users.resetTotp(caller, id), 'The second factor was removed.');
  }
}
