import { Body, Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type Caller, type SessionUser, CurrentCaller, CurrentUser } from '../auth/caller.ts';
import { setSessionCookie } from '../auth/session-cookie.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { ID } from '../docs/model.ts';
import { dataOf } from '../http/answer.ts';
import { MeService } from './me.service.ts';
import { AccountChoice, LinkRequest, SignInRequest } from './session.dto.ts';
import { MeView, SignInOptionsView, SignedInView } from './session.view.ts';
import * as examples from './sessions.examples.ts';
import { SignInService } from './sign-in.service.ts';

@Endpoints('Users')
@Controller('v1')
export class SessionController {
  constructor(
    private readonly signIns: SignInService,
    private readonly caller: MeService,
  ) {}

  @Get('me')
  @Endpoint({
    scope: 'any',
    whileSuspended: true,
    summary: 'Get the caller',
    description:
      'The user of the session, or the API key, with its account and scopes. A session may ask while its account is suspended.',
    answer: dataOf(MeView, examples.ME, 'The caller was found.'),
    returns: 'The caller.',
  })
  getMe(@CurrentCaller() caller: Caller) {
    return this.caller.me(caller);
  }

  @Get('session/options')
  @Endpoint({
    scope: 'none',
    summary: 'Get the ways to sign in',
    answer: dataOf(SignInOptionsView, examples.SIGN_IN_OPTIONS, 'These are the ways to sign in.'),
    returns: 'The identity provider, if there is one; `/oidc/sign-in` leads a browser to it.',
  })
  getSignInOptions() {
    return this.caller.signInOptions();
  }

  @Post('session')
  @Endpoint({
    scope: 'none',
    summary: 'Sign in with a password',
    description:
      'Sets the session cookie. After five wrong passwords in a minute for a user from one address, further attempts are 429 `rate_limited`.',
    body: examples.SIGN_INS,
    answer: dataOf(SignedInView, examples.SIGNED_IN, 'You are signed in.'),
    returns: 'The user and the account that the session acts in.',
  })
  createSession(@Body() request: SignInRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.signIns.withPassword(request, reply);
  }

  @Post('session/link')
  @Endpoint({
    scope: 'none',
    summary: 'Sign in with a link',
    description:
      'Sets the session cookie. A sign-in link works once, for ten minutes; an invitation for 48 hours.',
    body: examples.LINKS,
    answer: dataOf(SignedInView, examples.SIGNED_IN, 'You are signed in.'),
    returns: 'The user and the account that the session acts in.',
  })
  useSignInLink(@Body() request: LinkRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.signIns.withLink(request, reply);
  }

  @Delete('session')
  @Endpoint({
    scope: 'any',
    personal: true,
    summary: 'Sign out',
    answer: dataOf(Type.Object({ id: ID }), { id: examples.SESSION_ID }, 'You are signed out.'),
  })
  endSession(@CurrentUser() user: SessionUser, @Res({ passthrough: true }) reply: FastifyReply) {
    setSessionCookie(reply, null);
    return this.caller.endSession(user, user.sessionId);
  }

  @Put('session/account')
  @Endpoint({
    scope: 'any',
    personal: true,
    summary: 'Choose the account that the session acts in',
    body: examples.ACCOUNT_CHOICES,
    answer: dataOf(
      Type.Object({ accountId: ID }),
      { accountId: examples.ACCOUNT_ID },
      'The account was changed.',
    ),
  })
  async chooseAccount(@CurrentUser() user: SessionUser, @Body() { accountId }: AccountChoice) {
    await this.caller.chooseAccount(user, accountId);
    return { accountId };
  }
}
