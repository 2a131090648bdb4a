import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type IdentityProviderUnderTest,
  type ProvidedClaims,
  startIdentityProvider,
} from '@signalbox/test/identity-provider';
import { Secret, TOTP } from 'otpauth';
import { type Answer, type ApiUnderTest, expectFailure, startApi } from './api-under-test.ts';
import {
  type Browser,
  FROM_PAGE,
  PASSWORD,
  browserOf,
  invite,
  newEmail,
  nextCode,
  signIn,
  useLink,
} from './users-under-test.ts';

const RULES = 'groups=sms-admins admin Our company; groups=lost viewer No such account; editor Our company';
const ME = { method: 'GET', path: '/v1/me' };

const lines: string[] = [];
const started = new AsyncDisposableStack();
let provider: IdentityProviderUnderTest;
let t: ApiUnderTest;

beforeAll(async () => {
  provider = started.use(await startIdentityProvider());
  const env = {
    ...provider.env,
    OIDC_EMAIL_DOMAINS: 'shop.example',
    OIDC_NEW_USERS: RULES,
    OIDC_NAME: 'Peer',
  };
  t = started.use(await startApi({ env, onLogLine: (line) => lines.push(line) }));
  provider.openFor(t.p.apiUrl);
  await t.addKey('Our company');
});
afterAll(() => started.disposeAsync());

/** Cookies of one browser, by origin. */
class Visitor {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** @param site of the page that leads to the sign-in, as browsers tell it */
  constructor(private readonly site?: string) {}

  /** Follows redirects until a page that is not one, or that matches. @returns its address, or the last answer */
  async visit(path: string, stopAt = '/app'): Promise<URL> {
    let url = new URL(path, t.p.apiUrl);
    for (let steps = 0; steps < 15; steps += 1) {
      const location = await this.get(url);
      if (location === null) return url;
      url = new URL(location, url);
      if (url.origin === t.p.apiUrl && url.pathname.startsWith(stopAt)) return url;
    }
    throw new Error(`too many redirects, the last to ${url.pathname}`);
  }

  cookieOf(origin: string): string {
    return Array.from(this.cookies.get(origin) ?? [], ([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sends a cookie to Signalbox from now on. */
  keep(cookie: string): this {
    const [name = '', value = ''] = cookie.split('=');
    this.cookies.set(t.p.apiUrl, new Map([[name, value]]));
    return this;
  }

  copyFrom(other: Visitor): void {
    this.cookies.set(t.p.apiUrl, new Map(other.cookies.get(t.p.apiUrl)));
  }

  async me(): Promise<Answer<Record<string, unknown>>> {
    return t.call({ ...ME, headers: { apikey: null, cookie: this.cookieOf(t.p.apiUrl) } });
  }

  private async get(url: URL): Promise<string | null> {
    const headers = { cookie: this.cookieOf(url.origin), ...(this.site && { 'sec-fetch-site': this.site }) };
    const response = await fetch(url, { redirect: 'manual', headers });
    const kept = this.cookies.get(url.origin) ?? new Map<string, string>();
    this.cookies.set(url.origin, kept);
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (value === '') kept.delete(name);
      else kept.set(name, value);
    }
    await response.arrayBuffer();
    return response.headers.get('location');
  }
}

let subjects = 0;
/** A user of the identity provider, who visits next. */
function provide(claims: ProvidedClaims): string {
  subjects += 1;
  const subject = `subject-${subjects}`;
  provider.users.set(subject, { email_verified: true, ...claims });
  provider.visitor = subject;
  return subject;
}

async function signInBy(
  visitor = new Visitor(),
  path = '/oidc/sign-in',
): Promise<{ page: string; visitor: Visitor }> {
  const { pathname, search } = await visitor.visit(path);
  return { page: pathname + search, visitor };
}

const failed = (reason: string): string => `/app/sign-in?problem=${reason}`;

/** Adds a second factor to the user of a browser. */
async function addTotp({ call }: Pick<Browser, 'call'>): Promise<TOTP> {
  const path = '/v1/session/totp';
  const { secret } = (await call<{ secret: string }>({ path, body: {} })).body.data;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  expect((await call({ method: 'PUT', path, body: { code: totp.generate() } })).status).toBe(200);
  return totp;
}

/** Uses the link to which a sign-in with a second factor leads. */
const redeem = (hash: string, code?: string): Promise<Answer> =>
  t.call({
    path: '/v1/session/link',
    headers: FROM_PAGE,
    body: { token: hash.slice('#token='.length), code },
  });

const actionsOf = async (email: string): Promise<string[]> => {
  const rows = await t.db.query(
    `SELECT action FROM audit_event WHERE target = (SELECT id::text FROM app_user WHERE email = $1)
         OR actor = (SELECT 'user:' || id FROM app_user WHERE email = $1) ORDER BY id`,
    [email],
  );
  return (rows as { action: string }[]).map(({ action }) => action);
};

test('a user is known by the verified e-mail address first, and by the subject from then on', async () => {
  const { email, token } = await invite(t, 'admin', 'Known');
  const before = await useLink(t, token);
  await before.call({ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } });
  const subject = provide({ email: email.toUpperCase(), name: 'Ana' });

  const first = await signInBy();

  expect(first.page).toBe('/app/');
  expect((await first.visitor.me()).body.data).toMatchObject({
    email,
    role: 'admin',
    accountName: 'Known',
    name: 'The admin',
    hasPassword: false,
  });
  expectFailure(await before.call(ME), 401, 'session_expired');
  expect((await actionsOf(email)).slice(-2)).toEqual(['linkIdentity', 'signInWithProvider']);
  provider.users.set(subject, { email: newEmail(), email_verified: true });
  expect((await (await signInBy()).visitor.me()).body.data).toMatchObject({ email, role: 'admin' });
});

test('a new user gets the role and the account of the first rule that fits', async () => {
  const roles = [];
  for (const groups of [['x', 'sms-admins'], ['x'], undefined]) {
    const email = newEmail();
    provide({ email, name: 'Eve\u0000\n Two ', ...(groups && { groups }) });
    const { visitor } = await signInBy();
    const { data } = (await visitor.me()).body;
    roles.push([data['email'] === email, data['name'], data['role'], data['accountName']]);
    expect(await actionsOf(email)).toEqual(['createUser', 'linkIdentity', 'signInWithProvider']);
  }

  expect(roles).toEqual([
    [true, 'Eve Two', 'admin', 'Our company'],
    [true, 'Eve Two', 'editor', 'Our company'],
    [true, 'Eve Two', 'editor', 'Our company'],
  ]);
});

test.each<[string, ProvidedClaims, string]>([
  ['an address that is not verified', { email_verified: false }, 'email_unverified'],
  ['an address that is verified in words', { email_verified: 'yes' as never }, 'email_unverified'],
  ['no address', { email: undefined as never }, 'email_unverified'],
  ['an address of another domain', { email: 'eve@evil.example' }, 'email_not_allowed'],
  ['an address of a domain within', { email: 'eve@shop.example.evil.example' }, 'email_not_allowed'],
  ['an address with two hosts', { email: 'eve@evil.example@shop.example' }, 'email_unverified'],
  ['a rule whose account does not exist', { groups: ['lost'] }, 'no_account'],
])('a user with %s does not sign in', async (_name, claims, reason) => {
  provide({ email: newEmail(), ...claims });

  const { page, visitor } = await signInBy();

  expect(page).toBe(failed(reason));
  expect((await visitor.me()).status).toBe(401);
});

test('nobody takes over a user who is linked, disabled or in no account', async () => {
  const [linked, disabled, removed] = [newEmail(), await signIn(t, 'editor'), await signIn(t, 'editor')];
  provide({ email: linked });
  await signInBy();
  const pages = [];
  await t.db.query(`UPDATE app_user SET disabled_at = now() WHERE email = $1`, [disabled.email]);
  await t.db.query(`DELETE FROM user_account WHERE user_id = (SELECT id FROM app_user WHERE email = $1)`, [
    removed.email,
  ]);
  for (const email of [linked, disabled.email, removed.email]) {
    provide({ email });
    pages.push((await signInBy()).page);
  }

  expect(pages).toEqual([failed('other_identity'), failed('unknown_user'), failed('unknown_user')]);
});

test('an answer works once, in the browser that asked for it, with its state', async () => {
  provide({ email: newEmail() });
  const [owner, other, copy, mixed] = [new Visitor(), new Visitor(), new Visitor(), new Visitor()];
  const callback = await owner.visit('/oidc/sign-in', '/oidc/callback');
  copy.copyFrom(owner);
  await mixed.visit('/oidc/sign-in', '/oidc/callback');
  const path = callback.pathname + callback.search;
  const state = callback.searchParams.get('state')!;

  expect((await other.visit(path)).search).toBe('?problem=expired');
  expect((await mixed.visit(path)).search).toBe('?problem=expired');
  expect((await owner.visit(path)).pathname).toBe('/app/');
  expect((await owner.visit(path)).search).toBe('?problem=expired');
  expect((await copy.visit(path)).search).toBe('?problem=expired');
  for (const visitor of [other, mixed, copy]) expect((await visitor.me()).status).toBe(401);
  expect(lines.join('')).not.toContain(state);
});

test('a code of somebody else is refused for a state of this browser', async () => {
  provide({ email: newEmail() });
  const [attacker, victim] = [new Visitor(), new Visitor()];
  const stolen = (await attacker.visit('/oidc/sign-in', '/oidc/callback')).searchParams.get('code')!;
  const callback = await victim.visit('/oidc/sign-in', '/oidc/callback');
  callback.searchParams.set('code', stolen);

  expect((await victim.visit(callback.pathname + callback.search)).search).toBe('?problem=refused');
  expect((await victim.me()).status).toBe(401);
  expect(lines.join('')).not.toContain(stolen);
});

test('a ticket that was changed is refused, and the browser forgets it', async () => {
  provide({ email: newEmail() });
  const visitor = new Visitor();
  const callback = await visitor.visit('/oidc/sign-in', '/oidc/callback');
  const [name, value = ''] = visitor.cookieOf(t.p.apiUrl).split('=');
  const changed = `${value.slice(0, -4)}AAAA`;

  const answer = await fetch(callback, { redirect: 'manual', headers: { cookie: `${name}=${changed}` } });

  expect(answer.headers.get('location')).toBe(failed('expired'));
  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^signalbox-sign-in=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/,
  );
});

test.each([
  ['/messages?status=FAILED', '/app/messages?status=FAILED'],
  ['//evil.example', '/app/'],
  ['/\\evil.example', '/app/'],
  ['https://evil.example', '/app/'],
  ['/a\r\nx: y', '/app/'],
  ['/../s/abcdefgh', '/app/'],
  ['/x/%2e%2E/..\\s/abcdefgh', '/app/'],
  ['/messages/../webhooks?a=/..', '/app/webhooks?a=/..'],
])('after a sign-in with next %j the page %s opens', async (next, page) => {
  provide({ email: newEmail() });

  const opened = await signInBy(new Visitor(), `/oidc/sign-in?${new URLSearchParams({ next })}`);

  expect(opened.page).toBe(page);
});

test('a second factor is asked for, also before a page with a fragment', async () => {
  const user = await signIn(t, 'editor');
  provide({ email: user.email });
  const cookie = (await signInBy()).visitor.cookieOf(t.p.apiUrl);
  const totp = await addTotp({
    call: (call) => t.call({ ...call, headers: { ...FROM_PAGE, cookie } }),
  });

  const stranger = new Visitor();
  const { hash } = await stranger.visit('/oidc/sign-in?next=%2Fmessages%23row');

  expect((await stranger.me()).status).toBe(401);
  expectFailure(await redeem(hash), 401, 'code_required');
  const signedIn = await redeem(hash, nextCode(totp));
  expect((await browserOf(t, signedIn).call(ME)).body.data).toMatchObject({ email: user.email });
});

test('the first sign-in removes a second factor that somebody else added', async () => {
  const squatter = await signIn(t, 'editor');
  await addTotp(squatter);
  provide({ email: squatter.email });

  const { visitor } = await signInBy();

  const { data } = (await visitor.me()).body;
  expect(data).toMatchObject({ email: squatter.email, hasTotp: false, recoveryCodes: 0 });
});

test('an operator is linked only in a browser where they are signed in', async () => {
  const operator = await signIn(t, 'operator');
  const totp = await addTotp(operator);
  await operator.call({ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } });
  const read = () => t.db.query('SELECT * FROM app_user WHERE email = $1', [operator.email]);
  const before = await read();
  const other = await signIn(t, 'operator');
  const subject = provide({ email: operator.email });

  const led = new Visitor('cross-site').keep(operator.cookie);
  for (const visitor of [new Visitor(), new Visitor().keep(other.cookie), led])
    expect((await signInBy(visitor)).page).toBe(failed('operator_unlinked'));
  expect(await read()).toEqual(before);
  expect((await operator.call(ME)).status).toBe(200);

  const { hash } = await new Visitor('same-origin').keep(operator.cookie).visit('/oidc/sign-in');
  expectFailure(await redeem(hash), 401, 'code_required');
  const signedIn = await redeem(hash, nextCode(totp));
  expect((await browserOf(t, signedIn).call(ME)).body.data).toMatchObject({
    email: operator.email,
    hasPassword: true,
    hasTotp: true,
  });
  provider.visitor = subject;
  const stranger = new Visitor();
  expect((await stranger.visit('/oidc/sign-in')).hash).toMatch(/^#token=/);
  expect((await stranger.me()).status).toBe(401);
  provide({ email: operator.email });
  expect((await signInBy()).page).toBe(failed('other_identity'));
});

test('a user without a password changes what proves them only soon after the sign-in', async () => {
  provide({ email: newEmail() });
  const cookie = (await signInBy()).visitor.cookieOf(t.p.apiUrl);
  const set = () =>
    t.call({
      method: 'PUT',
      path: '/v1/session/password',
      headers: { ...FROM_PAGE, cookie },
      body: { newPassword: PASSWORD },
    });
  const { id } = (await t.call<{ id: string }>({ ...ME, headers: { apikey: null, cookie } })).body.data;
  await t.db.query(`UPDATE user_session SET created_at = now() - interval '11 minutes' WHERE user_id = $1`, [
    id,
  ]);

  expectFailure(await set(), 403, 'sign_in_again');
  await t.db.query(`UPDATE user_session SET created_at = now() WHERE user_id = $1`, [id]);
  expect((await set()).status).toBe(200);
});

test('a cancelled sign-in is explained, and an address has 30 failures a minute', async () => {
  provider.visitor = undefined;
  expect((await signInBy()).page).toBe(failed('cancelled'));
  const headers = { 'x-forwarded-for': '198.51.100.77' };
  const pages = [];
  for (let i = 0; i < 31; i += 1) {
    const answer = await fetch(`${t.p.apiUrl}/oidc/callback`, { redirect: 'manual', headers });
    pages.push(answer.headers.get('location'));
  }

  expect([...new Set(pages)]).toEqual([failed('expired'), failed('too_many')]);
});

test('an api whose identity provider is down starts, says so, and finds it later', async () => {
  await using late = await startIdentityProvider();
  await using own = await startApi({ env: late.env });
  const options = { method: 'GET', path: '/v1/session/options', headers: { apikey: null } };
  const locationOf = async (): Promise<string | null> =>
    (await fetch(`${own.p.apiUrl}/oidc/sign-in`, { redirect: 'manual' })).headers.get('location');

  expect((await own.call(options)).body.data).toEqual({ identityProvider: true, identityProviderName: null });
  expect((await t.call(options)).body.data).toEqual({ identityProvider: true, identityProviderName: 'Peer' });
  expect(await locationOf()).toBe(failed('unreachable'));
  late.openFor(own.p.apiUrl);
  expect(await locationOf()).toMatch(new RegExp(`^${late.env['OIDC_ISSUER']}/auth\\?`));
});

test('an ID token that another key signed is refused', async () => {
  provide({ email: newEmail() });
  provider.openFor(t.p.apiUrl);

  expect((await signInBy()).page).toBe(failed('refused'));
});
