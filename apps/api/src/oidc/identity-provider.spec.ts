import { expect, test } from '@jest/globals';
import { loadConfig } from '@signalbox/runtime/load-config';
import { replaceClocks } from '@signalbox/test/clocks';
import { startIdentityProvider } from '@signalbox/test/identity-provider';
import { ApiConfig } from '../config.ts';
import { IdentityProvider } from './identity-provider.ts';

const REDIRECT = 'http://localhost/oidc/callback';
const HOUR = 3_600_000;

async function setup() {
  const peer = await startIdentityProvider();
  const config = loadConfig(ApiConfig, {
    ...peer.env,
    DATABASE_URL: 'postgres://localhost/none',
    QUEUE_URL: 'redis://localhost:6379',
    PORT: '0',
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    OTP_PEPPER: Buffer.alloc(32, 2).toString('base64'),
    PUBLIC_URL: 'http://localhost',
  });
  const provider = new IdentityProvider(config);
  return {
    peer,
    begin: () => provider.begin(REDIRECT),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

test('all sign-ins that meet a provider that is down say that it cannot be reached', async () => {
  await using t = await setup();

  const begun = [t.begin(), t.begin()];

  for (const each of begun) await expect(each).rejects.toMatchObject({ reason: 'unreachable' });
  t.peer.openFor('http://localhost');
  expect((await t.begin()).url.origin).toBe(t.peer.env['OIDC_ISSUER']);
});

test('metadata that cannot be read again is used further', async () => {
  await using t = await setup();
  t.peer.openFor('http://localhost');
  const before = await t.begin();
  t.peer.close();
  const later = Date.now() + HOUR + 1;
  using _ = replaceClocks({ date: () => later });

  const [first, second] = await Promise.all([t.begin(), t.begin()]);

  expect([first.url.pathname, second.url.pathname]).toEqual([before.url.pathname, before.url.pathname]);
});
