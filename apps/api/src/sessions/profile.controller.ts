import { Body, Controller, Delete, Get, Ip, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentUser, type SessionUser, type SignedIn } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { FLAG } from '../docs/model.ts';
import { type Answer, DELETED, answer, counted } from '../http/answer.ts';
import { MeService } from './me.service.ts';
import { ProfileService } from './profile.service.ts';
import type { OfferedTotp } from './second-factor.ts';
import { PasswordChange, PasswordProof, TotpCode } from './session.dto.ts';
import { ConfirmedTotpView, EndedView, OfferedTotpView, SessionView } from './session.view.ts';
import * as examples from './sessions.examples.ts';

const params = { id: { example: examples.SESSION_ID } };

@ApiTags('Users')
@Controller('v1')
export class ProfileController {
  constructor(
    private readonly caller: MeService,
    private readonly profile: ProfileService,
  ) {}

  @Get('sessions')
  @Endpoint({
    id: 'listSessions',
    scope: 'any',
    personal: true,
    summary: 'List your sessions',
    description: 'A session ends 12 hours after its last use, and 7 days after its start.',
    data: Type.Array(SessionView),
    answer: examples.SESSIONS_ANSWER,
    returns: 'The live sessions of the user, newest first; at most 100.',
  })
  async sessions(@CurrentUser() user: SignedIn): Promise<Answer<SessionView[]>> {
    const sessions = await this.caller.sessions(user);
    return answer(sessions, `${counted(sessions.length, 'session')}.`);
  }

  @Delete('sessions/:id')
  @Endpoint({
    id: 'deleteSession',
    scope: 'any',
    personal: true,
    summary: 'End one of your sessions',
    params,
    data: DELETED,
    answer: examples.SESSION_ENDED_ANSWER,
    returns: 'The id of the ended session.',
  })
  async end(@CurrentUser() user: SignedIn, @Param('id') id: string): Promise<Answer<{ id: string }>> {
    return answer(await this.caller.endSession(user, id), 'The session was ended.');
  }

  @Delete('sessions')
  @Endpoint({
    id: 'deleteOtherSessions',
    scope: 'any',
    personal: true,
    summary: 'End all your other sessions',
    data: EndedView,
    answer: examples.OTHERS_ENDED_ANSWER,
    returns: 'The number of ended sessions.',
  })
  async endOthers(@CurrentUser() user: SignedIn): Promise<Answer<{ ended: number }>> {
    const done = await this.caller.endOthers(user);
    return answer(done, `${counted(done.ended, 'session')} ended.`);
  }

  @Put('session/password')
  @Endpoint({
    id: 'changePassword',
    scope: 'any',
    personal: true,
    summary: 'Set your password',
    description: 'Ends all your other sessions.',
    body: exampleBodies(PasswordChange, examples.PASSWORD_CHANGES),
    data: EndedView,
    answer: examples.PASSWORD_ANSWER,
    returns: 'The number of other sessions that were ended.',
  })
  async password(
    @CurrentUser() user: SessionUser,
    @Ip() address: string,
    @Body() change: PasswordChange,
  ): Promise<Answer<{ ended: number }>> {
    const ended = await this.profile.changePassword({ user, address }, change);
    return answer({ ended }, 'The password was set.');
  }

  @Post('session/totp')
  @Endpoint({
    id: 'offerTotp',
    scope: 'any',
    personal: true,
    summary: 'Begin a second factor',
    description: 'Makes the secret of an authenticator app. It is in force once a code confirms it.',
    body: exampleBodies(PasswordProof, examples.PASSWORD_PROOFS),
    data: OfferedTotpView,
    answer: examples.OFFERED_ANSWER,
    returns: 'The secret.',
  })
  async offer(
    @CurrentUser() user: SessionUser,
    @Ip() address: string,
    @Body() { password }: PasswordProof,
  ): Promise<Answer<OfferedTotp>> {
    const offered = await this.profile.offerTotp({ user, address }, password);
    return answer(offered, 'Confirm the second factor with its first code.');
  }

  @Put('session/totp')
  @Endpoint({
    id: 'confirmTotp',
    scope: 'any',
    personal: true,
    summary: 'Confirm your second factor',
    description: 'From now on, signing in needs a code. Ends all your other sessions.',
    body: exampleBodies(TotpCode, examples.TOTP_CODES),
    data: ConfirmedTotpView,
    answer: examples.CONFIRMED_ANSWER,
    returns: 'Recovery codes.',
  })
  async confirm(
    @CurrentUser() user: SessionUser,
    @Ip() address: string,
    @Body() { code }: TotpCode,
  ): Promise<Answer<ConfirmedTotpView>> {
    const recoveryCodes = await this.profile.confirmTotp({ user, address }, code);
    return answer({ recoveryCodes }, 'The second factor is in force.');
  }

  @Post('session/totp/remove')
  @Endpoint({
    id: 'removeTotp',
    scope: 'any',
    personal: true,
    summary: 'Remove your second factor',
    body: exampleBodies(PasswordProof, examples.PASSWORD_PROOFS),
    data: Type.Object({ hasTotp: FLAG }),
    answer: examples.TOTP_REMOVED_ANSWER,
    returns: 'The user has no second factor.',
  })
  async remove(
    @CurrentUser() user: SessionUser,
    @Ip() address: string,
    @Body() { password }: PasswordProof,
  ): Promise<Answer<{ hasTotp: boolean }>> {
    await this.profile.removeTotp({ user, address }, password);
    return answer({ hasTotp: false }, 'The second factor was removed.');
  }
}
