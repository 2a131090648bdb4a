import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { Attempts } from './attempts.ts';
import { MeService } from './me.service.ts';
import { Passwords } from './passwords.ts';
import { ProfileController } from './profile.controller.ts';
import { ProfileService } from './profile.service.ts';
import { SecondFactor } from './second-factor.ts';
import { SessionController } from './session.controller.ts';
import { SignInService } from './sign-in.service.ts';

/** Signing in, and what users change about themselves. */
@Module({
  imports: [AuthModule],
  controllers: [SessionController, ProfileController],
  exports: [Attempts],
  providers: [Attempts, MeService, Passwords, ProfileService, SecondFactor, SignInService],
})
export class SessionsModule {}
