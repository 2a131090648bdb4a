import { createUser } from '@signalbox/database/users/seed';
import type { Role } from '@signalbox/domain/role';
import { expect } from '@jest/globals';
import type { TOTP } from 'otpauth';
import type { Answer, ApiUnderTest, Call } from './api-under-test.ts';

export const PASSWORD = 'a meadow of tall clover';

/** A browser that is signed in: it sends its cookie, and says that its requests come from a page of the service. */
export interface Browser {
  cookie: string;
  call: <D = unknown>(call: Call) => Promise<Answer<D>>;
}

let users = 0;

/** Headers of a request by a page of the service. */
export const FROM_PAGE = { apikey: null, 'sec-fetch-site': 'same-origin' };

/** Creates a user of an account, which is created as needed. @returns the token of the sign-in link */
export async function invite(t: ApiUnderTest, role: Role, account = 'Users', email = newEmail()) {
  await t.addKey(account);
  return { email, token: await createUser(t.p.databaseUrl, { email, name: `The ${role}`, role, account }) };
}

export function newEmail(): string {
  users += 1;
  return `user-${users}@shop.example`;
}

/** Signs in with a link, and keeps the cookie. */
export async function useLink(t: ApiUnderTest, token: string): Promise<Browser> {
  const answer = await t.call({ path: '/v1/session/link', headers: FROM_PAGE, body: { token } });
  expect(answer.status).toBe(200);
  return browserOf(t, answer);
}

/** A browser with the cookie that an answer set. */
export function browserOf(t: ApiUnderTest, answer: Answer): Browser {
  const [header = ''] = answer.headers['set-cookie'] ?? [];
  const cookie = header.split(';')[0]!;
  return {
    cookie,
    call: (call) => t.call({ ...call, headers: { ...FROM_PAGE, cookie, ...call.headers } }),
  };
}

/** Signs in a new user of a role. */
export async function signIn(
  t: ApiUnderTest,
  role: Role,
  account?: string,
): Promise<Browser & { email: string }> {
  const { email, token } = await invite(t, role, account);
  return { email, ...(await useLink(t, token)) };
}

/** The code of the next half minute: it is accepted already, and was not used before. */
export function nextCode(totp: TOTP): string {
  return totp.generate({ timestamp: Date.now() + 30_000 });
}

let addresses = 0;
/** Headers of a client with a new address, so that no test uses up the attempts of another. */
export function newAddress(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses}` };
}

export function signInWithPassword(
  t: ApiUnderTest,
  email: string,
  password: string,
  headers = newAddress(),
  code?: string,
): Promise<Answer> {
  return t.call({
    path: '/v1/session',
    headers: { ...FROM_PAGE, ...headers },
    body: { email, password, code },
  });
}

/** Signs in a new user, who sets PASSWORD. */
export async function withPasswordSet(
  t: ApiUnderTest,
  role: Role = 'editor',
): Promise<Browser & { email: string }> {
  const browser = await signIn(t, role);
  const body = { newPassword: PASSWORD };
  expect((await browser.call({ method: 'PUT', path: '/v1/session/password', body })).status).toBe(200);
  return browser;
}
