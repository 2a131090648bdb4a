import { Body, Controller, Delete, Get, Ip, Param, Post, Put } from '@nestjs/common';
import { Type } from 'typebox';
import { type SessionUser, type SignedIn, CurrentUser } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { FLAG } from '../docs/model.ts';
import { DELETED, counted, dataOf } from '../http/answer.ts';
import { MeService } from './me.service.ts';
import { ProfileService } from './profile.service.ts';
import { PasswordChange, PasswordProof, TotpCode } from './session.dto.ts';
import { ConfirmedTotpView, EndedView, OfferedTotpView, SessionView } from './session.view.ts';
import * as examples from './sessions.examples.ts';

@Endpoints('Users', { scope: 'any', params: { id: { example: examples.SESSION_ID } } })
@Controller('v1')
export class ProfileController {
  constructor(
    private readonly caller: MeService,
    private readonly profile: ProfileService,
  ) {}

  @Get('sessions')
  @Endpoint({
    personal: true,
    summary: 'List your sessions',
    description: 'A session ends 12 hours after its last use, and 7 days after its start.',
    answer: dataOf(
      Type.Array(SessionView),
      examples.SESSIONS,
      (sessions) => `${counted(sessions.length, 'session')}.`,
    ),
    returns: 'The live sessions of the user, newest first; at most 100.',
  })
  listSessions(@CurrentUser() user: SignedIn) {
    return this.caller.sessions(user);
  }

  @Delete('sessions/:id')
  @Endpoint({
    personal: true,
    summary: 'End one of your sessions',
    answer: dataOf(DELETED, { id: examples.SESSION_ID }, 'The session was ended.'),
  })
  deleteSession(@CurrentUser() user: SessionUser, @Param('id') id: string) {
    return this.caller.endSession(user, id);
  }

  @Delete('sessions')
  @Endpoint({
    personal: true,
    summary: 'End all your other sessions',
    answer: dataOf(EndedView, { ended: 2 }, (done) => `${counted(done.ended, 'session')} ended.`),
    returns: 'The number of ended sessions.',
  })
  deleteOtherSessions(@CurrentUser() user: SessionUser) {
    return this.caller.endOthers(user);
  }

  @Put('session/password')
  @Endpoint({
    personal: true,
    summary: 'Set your password',
    description: 'Ends all your other sessions.',
    body: examples.PASSWORD_CHANGES,
    answer: dataOf(EndedView, { ended: 2 }, 'The password was set.'),
    returns: 'The number of other sessions that were ended.',
  })
  async changePassword(
    @CurrentUser() user: SessionUser,
    @Ip() address: string,
    @Body() change: PasswordChange,
  ) {
    return { ended: await this.profile.changePassword({ user, address }, change) };
  }

  @Post('session/totp')
  @Endpoint({
    personal: true,
    summary: 'Begin a second factor',
    description: 'Makes the secret of an authenticator app. It is in force once a code confirms it.',
    body: examples.PASSWORD_PROOFS,
    answer: dataOf(OfferedTotpView, examples.OFFERED, 'Confirm the second factor with its first code.'),
    returns: 'The secret.',
  })
  offerTotp(@CurrentUser() user: SessionUser, @Ip() address: string, @Body() { password }: PasswordProof) {
    return this.profile.offerTotp({ user, address }, password);
  }

  @Put('session/totp')
  @Endpoint({
    personal: true,
    summary: 'Confirm your second factor',
    description: 'From now on, signing in needs a code. Ends all your other sessions.',
    body: examples.TOTP_CODES,
    answer: dataOf(ConfirmedTotpView, examples.CONFIRMED, 'The second factor is in force.'),
    returns: 'Recovery codes.',
  })
  async confirmTotp(@CurrentUser() user: SessionUser, @Ip() address: string, @Body() { code }: TotpCode) {
    return { recoveryCodes: await this.profile.confirmTotp({ user, address }, code) };
  }

  @Post('session/totp/remove')
  @Endpoint({
    personal: true,
    summary: 'Remove your second factor',
    body: examples.PASSWORD_PROOFS,
    answer: dataOf(Type.Object({ hasTotp: FLAG }), { hasTotp: false }, 'The second factor was removed.'),
  })
  async removeTotp(
    @CurrentUser() user: SessionUser,
    @Ip() address: string,
    @Body() { password }: PasswordProof,
  ) {
    await this.profile.removeTotp({ user, address }, password);
    return { hasTotp: false };
  }
}
