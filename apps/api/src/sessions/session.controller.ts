import { Body, Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type Caller, CurrentCaller, CurrentUser, type SessionUser, type SignedIn } from '../auth/caller.ts';
import { setSessionCookie } from '../auth/session-cookie.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { ID } from '../docs/model.ts';
import { type Answer, answer } from '../http/answer.ts';
import { MeService } from './me.service.ts';
import { AccountChoice, LinkRequest, SignInRequest } from './session.dto.ts';
import { MeView, SignInOptionsView, SignedInView } from './session.view.ts';
import * as examples from './sessions.examples.ts';
import { SignInService } from './sign-in.service.ts';

@ApiTags('Users')
@Controller('v1')
export class SessionController {
  constructor(
    private readonly signIns: SignInService,
    private readonly caller: MeService,
  ) {}

  @Get('me')
  @Endpoint({
    id: 'getMe',
    scope: 'any',
    summary: 'Get the caller',
    description: 'The user of the session, or the API key, with its account and scopes.',
    data: MeView,
    answer: examples.ME_ANSWER,
    returns: 'The caller.',
  })
  async me(@CurrentCaller() caller: Caller): Promise<Answer<MeView>> {
    return answer(await this.caller.me(caller), 'This is you.');
  }

  @Get('session/options')
  @Endpoint({
    id: 'getSignInOptions',
    scope: 'none',
    summary: 'Get the ways to sign in',
    data: SignInOptionsView,
    answer: examples.SIGN_IN_OPTIONS_ANSWER,
    returns: 'The identity provider, if there is one; `/oidc/sign-in` leads a browser to it.',
  })
  options(): Answer<SignInOptionsView> {
    return answer(this.caller.signInOptions(), 'These are the ways to sign in.');
  }

  @Post('session')
  @Endpoint({
    id: 'createSession',
    scope: 'none',
    summary: 'Sign in with a password',
    description:
      'Sets the session cookie. After five wrong passwords in a minute for a user from one address, further attempts are 429 `rate_limited`.',
    body: exampleBodies(SignInRequest, examples.SIGN_INS),
    data: SignedInView,
    answer: examples.SIGNED_IN_ANSWER,
    returns: 'The user and the account that the session acts in.',
  })
  async signIn(
    @Body() request: SignInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<SignedInView>> {
    return answer(await this.signIns.withPassword(request, reply), 'You are signed in.');
  }

  @Post('session/link')
  @Endpoint({
    id: 'useSignInLink',
    scope: 'none',
    summary: 'Sign in with a link',
    description:
      'Sets the session cookie. A sign-in link works once, for ten minutes; an invitation for 48 hours.',
    body: exampleBodies(LinkRequest, examples.LINKS),
    data: SignedInView,
    answer: examples.SIGNED_IN_ANSWER,
    returns: 'The user and the account that the session acts in.',
  })
  async useLink(
    @Body() request: LinkRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<SignedInView>> {
    return answer(await this.signIns.withLink(request, reply), 'You are signed in.');
  }

  @Delete('session')
  @Endpoint({
    id: 'endSession',
    scope: 'any',
    personal: true,
    summary: 'Sign out',
    data: Type.Object({ id: ID }),
    answer: examples.SIGNED_OUT_ANSWER,
    returns: 'The id of the ended session.',
  })
  async signOut(
    @CurrentUser() user: SignedIn,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<{ id: string }>> {
    setSessionCookie(reply, null);
    return answer(await this.caller.endSession(user, user.sessionId), 'You are signed out.');
  }

  @Put('session/account')
  @Endpoint({
    id: 'chooseAccount',
    scope: 'any',
    personal: true,
    summary: 'Choose the account that the session acts in',
    body: exampleBodies(AccountChoice, examples.ACCOUNT_CHOICES),
    data: Type.Object({ accountId: ID }),
    answer: examples.CHOSEN_ANSWER,
    returns: 'The account.',
  })
  async choose(
    @CurrentUser() user: SessionUser,
    @Body() { accountId }: AccountChoice,
  ): Promise<Answer<{ accountId: string }>> {
    await this.caller.chooseAccount(user, accountId);
    return answer({ accountId }, 'The account was changed.');
  }
}
