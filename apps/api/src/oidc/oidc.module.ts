import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.ts';
import { IdentityProvider } from './identity-provider.ts';
import { ProvidedUsers } from './provided-users.ts';
import { ProviderSignIn } from './provider-sign-in.service.ts';
import { SignInTickets } from './sign-in-ticket.ts';

/** Signing in through the identity provider of OIDC_ISSUER. */
@Module({
  imports: [SessionsModule],
  providers: [IdentityProvider, ProvidedUsers, ProviderSignIn, SignInTickets],
})
export class OidcModule {}
