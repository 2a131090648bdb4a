import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, Provider } from 'oidc-provider';

const CLIENT = { client_id: 'signalbox', client_secret: randomBytes(24).toString('hex') };
const LOGIN = '/login/';

/** Claims of a user of the identity provider. */
export interface ProvidedClaims {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
  [claim: string]: unknown;
}

/** An identity provider on loopback, made with the package `oidc-provider`. */
export interface IdentityProviderUnderTest extends AsyncDisposable {
  /** Settings of the api that uses it. */
  env: Record<string, string>;
  /** Claims by subject. */
  users: Map<string, ProvidedClaims>;
  /** The subject that signs in at the next visit; undefined for one who cancels. */
  visitor: string | undefined;
  /** Opens the provider for an api. Until then it returns 503. */
  openFor: (apiUrl: string) => void;
  /** Closes the provider: it returns 503 again. */
  close: () => void;
}

/** Starts an identity provider: `await using provider = await startIdentityProvider()`. */
export async function startIdentityProvider(): Promise<IdentityProviderUnderTest> {
  const refuse = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(503).end();
  };
  let answer = refuse;
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.client_id,
    OIDC_CLIENT_SECRET: CLIENT.client_secret,
  };
  const peer: IdentityProviderUnderTest = {
    env,
    users: new Map(),
    visitor: undefined,
    openFor: (apiUrl) => {
      const provider = new Provider(issuer, configurationOf(peer, apiUrl));
      const serve = provider.callback();
      answer = (request, response) => {
        if (request.url?.startsWith(LOGIN)) void login(provider, peer.visitor, request, response);
        else void serve(request, response);
      };
    },
    close: () => {
      answer = refuse;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return peer;
}

/** Signs the visitor in without a page. */
function login(
  provider: Provider,
  visitor: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result = visitor === undefined ? { error: 'access_denied' } : { login: { accountId: visitor } };
  return provider.interactionFinished(request, response, result);
}

function configurationOf({ users }: IdentityProviderUnderTest, apiUrl: string): Configuration {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  return {
    clients: [{ ...CLIENT, redirect_uris: [`${apiUrl}/oidc/callback`] }],
    cookies: { keys: [randomBytes(24).toString('hex')] },
    jwks: { keys: [{ ...key, kid: 'test', use: 'sig', alg: 'RS256' } as never] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => Promise.resolve({ sub: accountId, ...users.get(accountId) }),
    }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `${LOGIN}${uid}` },
    loadExistingGrant: grantAll,
  };
}

/** Grants what the client asks for, so that nobody is asked for consent. */
const grantAll: NonNullable<Configuration['loadExistingGrant']> = async ({ oidc }) => {
  const { client, session, provider } = oidc;
  const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
};
