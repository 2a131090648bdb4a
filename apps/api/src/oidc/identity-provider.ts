import { Injectable } from '@nestjs/common';
import {
  AuthorizationResponseError,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { ApiConfig } from '../config.ts';
import { SignInProblem } from './sign-in-problem.ts';
import type { SignInProofs } from './sign-in-ticket.ts';

/** Seconds that the identity provider has for an answer. */
const TIMEOUT_SECONDS = 5;

/** The metadata of the identity provider is read again after this time. */
const DISCOVER_EVERY_MS = 3_600_000;

const SCOPE = 'openid email profile';

/** A user as the identity provider describes them. */
export interface ProvidedUser {
  issuer: string;
  subject: string;
  claims: Readonly<Record<string, unknown>>;
}

/**
 * The identity provider of OIDC_ISSUER: the authorization code flow with PKCE, state and nonce (OpenID Connect Core
 * 1.0). Its metadata is read at the first sign-in, so that the api starts without it.
 */
@Injectable()
export class IdentityProvider {
  private discovered: { at: number; provider: Promise<Configuration> } | undefined;

  constructor(private readonly config: ApiConfig) {}

  /**
   * The address that a browser signs in at, and the proofs that its answer must carry.
   *
   * @throws SignInProblem unreachable
   */
  async begin(redirectUri: string): Promise<{ url: URL; proofs: SignInProofs }> {
    const provider = await this.discover();
    const proofs = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: SCOPE,
      state: proofs.state,
      nonce: proofs.nonce,
      code_challenge: await calculatePKCECodeChallenge(proofs.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, proofs };
  }

  /** Exchanges the code of an answer for the user. @throws SignInProblem unreachable, cancelled, refused */
  async complete(answer: URL, { state, nonce, codeVerifier }: SignInProofs): Promise<ProvidedUser> {
    const provider = await this.discover();
    try {
      const tokens = await authorizationCodeGrant(provider, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const more = await readUserInfo(provider, tokens.access_token, claims.sub);
      return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } };
    } catch (cause) {
      throw toProblem(cause);
    }
  }

  /**
   * Reads the metadata of the provider, for all callers that wait for it. A failure is not kept: the former metadata is
   * used until it can be read again.
   */
  private discover(): Promise<Configuration> {
    const former = this.discovered;
    if (former && former.at > Date.now() - DISCOVER_EVERY_MS) return former.provider;
    const provider = this.readMetadata().catch((cause: unknown) => {
      this.discovered = former;
      if (former) return former.provider;
      throw new SignInProblem('unreachable', { cause });
    });
    this.discovered = { at: Date.now(), provider };
    return provider;
  }

  private readMetadata(): Promise<Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = this.config;
    const issuer = new URL(OIDC_ISSUER);
    const checks = [
      enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
    ];
    return discovery(issuer, OIDC_CLIENT_ID, undefined, authenticationWith(OIDC_CLIENT_SECRET), {
      timeout: TIMEOUT_SECONDS,
      execute: checks,
    });
  }
}

/** Authenticates in the way that the provider takes; by default with HTTP Basic, as OpenID Connect has it. */
function authenticationWith(secret: string): ClientAuth {
  if (secret === '') return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

async function readUserInfo(
  provider: Configuration,
  accessToken: string,
  subject: string,
): Promise<Record<string, unknown>> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return fetchUserInfo(provider, accessToken, subject);
}

function toProblem(cause: unknown): SignInProblem {
  if (cause instanceof AuthorizationResponseError)
    return new SignInProblem(cause.error === 'access_denied' ? 'cancelled' : 'refused', { cause });
  const isUnreachable =
    cause instanceof TypeError || (cause instanceof ClientError && cause.code === 'OAUTH_TIMEOUT');
  return new SignInProblem(isUnreachable ? 'unreachable' : 'refused', { cause });
}
