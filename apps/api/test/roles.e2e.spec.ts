import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { ROLES, type Role, SCOPES_OF } from '@signalbox/domain/role';
import type { Scope } from '@signalbox/domain/scope';
import { accept } from '@signalbox/test/rows';
import { type Answer, type ApiUnderTest, startApi } from './api-under-test.ts';
import { type Browser, signIn } from './users-under-test.ts';

interface Operation {
  operationId: string;
  description: string;
  'x-reads'?: true;
}

const t: ApiUnderTest = await startApi({ env: { SIMULATOR_INBOX: '1' } });
const operations = await readOperations();
const browsers = {} as Record<Role, Browser>;

beforeAll(async () => {
  for (const role of ROLES) browsers[role] = await signIn(t, role);
});
afterAll(async () => t[Symbol.asyncDispose]());

/** Operations that change the session which calls them. */
const OF_SESSION = new Set(['endSession', 'deleteOtherSessions', 'createSession', 'useSignInLink']);

test.each(operations.filter(({ id }) => !OF_SESSION.has(id)).map((each) => [each.id, each] as const))(
  '%s is open to the roles with its scope, and writes to those that write',
  async (_id, { method, path, scopes, reads }) => {
    for (const role of ROLES) {
      const { status, body } = (await browsers[role].call({
        method,
        path,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
      })) as Answer;

      const isPersonal = scopes.includes('session');
      const isOpen = isPersonal || scopes.includes('any') || scopes.includes('none');
      const has = isOpen || SCOPES_OF[role].some((own) => scopes.includes(own));
      const mayWrite = role !== 'viewer' || reads || isPersonal;
      const code = body?.error?.code;
      if (!mayWrite) expect([role, status, code]).toEqual([role, 403, 'role_read_only']);
      else if (!has) expect([role, status, code]).toEqual([role, 403, 'scope_missing']);
      else expect([role, status === 401, code]).not.toEqual([role, true, expect.anything()]);
      if (has && mayWrite) expect(['role_read_only', 'scope_missing', 'csrf']).not.toContain(code);
    }
  },
);

test('no operation is open without a key or a session, except signing in', async () => {
  const open = [];
  for (const { id, method, path } of operations) {
    const { status } = await t.call({ method, path, headers: { apikey: null } });
    if (status !== 401) open.push(id);
  }

  expect(open).toEqual(['getSignInOptions', 'createSession', 'useSignInLink']);
});

test('no answer shows a viewer a whole number', async () => {
  const number = '919876543210';
  await storeNumbers(number);
  const shown = [];
  for (const { id, method, path, reads } of operations) {
    if (!reads || (method !== 'GET' && id !== 'searchMessages')) continue;
    const answer = await browsers.viewer.call({ method, path, ...(method === 'POST' && { body: {} }) });
    if (/919876543210|98765-4/.test(answer.text)) shown.push(id);
  }
  const csv = await fetch(`${t.p.apiUrl}/v1/messages`, {
    headers: { cookie: browsers.viewer.cookie, accept: 'text/csv' },
  });

  expect(shown).toEqual([]);
  expect(await csv.text()).toMatch(/,[*]{8}3210,/);
  const recipients = async (role: Role): Promise<string[]> => {
    const list = await browsers[role].call<{ recipient: string }[]>({ method: 'GET', path: '/v1/messages' });
    return list.body.data.map(({ recipient }) => recipient);
  };
  expect([await recipients('viewer'), await recipients('editor')]).toEqual([['********3210'], [number]]);
});

/** Stores a message to a number that its text names, and an inbound message of the number. */
async function storeNumbers(number: string): Promise<void> {
  const { accountId } = (await browsers.viewer.call<{ accountId: string }>({ method: 'GET', path: '/v1/me' }))
    .body.data;
  const content = { text: `Call +${number} or +91 98765-43210`, unicode: false, flash: false };
  const { id } = await accept(t.db, { accountId, recipients: [number], content });
  await fanOut(t.db, [id], 10);
  const times = { sentAt: new Date(), receivedAt: new Date(), consent: null };
  const message = {
    gateway: 'smsc-1',
    gatewayMessageId: number,
    from: number,
    to: '56789',
    text: `I am ${number}`,
  };
  await insertInboundSms(t.db, [{ id: randomUUIDv7(), ...message, ...times, givenTo: accountId }]);
}

interface Listed {
  id: string;
  method: string;
  path: string;
  /** Scopes of which one is enough. */
  scopes: readonly (Scope | 'any' | 'session' | 'none')[];
  reads: boolean;
}

/** Lists the operations of the OpenAPI document, with the path of something that does not exist. */
async function readOperations(): Promise<Listed[]> {
  const { body } = await t.call({ method: 'GET', path: '/docs/openapi.json' });
  const { paths } = body as unknown as { paths: Record<string, Record<string, Operation>> };
  delete paths['/v1/stream']; // its answer has no end
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, randomUUIDv7()),
      scopes: scopesOf(operation),
      reads: method === 'get' || operation['x-reads'] === true,
    })),
  );
}

function scopesOf({ description }: Operation): Listed['scopes'] {
  if (description.endsWith('Needs a session.')) return ['session'];
  const named = /Scope: (.+)\.$/.exec(description)?.[1]?.split(' or ') ?? ['none'];
  return named.map((name) => name.replaceAll('`', '')) as Listed['scopes'];
}
