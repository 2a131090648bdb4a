import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { CONFIG_ID, VERIFY_ID } from '../src/docs/example-ids.ts';
import { GATEWAY_NAME } from '../src/gateways/gateways.examples.ts';
import { OTHER_VERIFY_ID } from '../src/verify/verify.examples.ts';
import { TEMPLATE_SAMPLES, mediaSamples } from '@signalbox/test/template-samples';
import { hashToken } from '@signalbox/domain/session';
import { LINKS, SIGN_INS } from '../src/sessions/sessions.examples.ts';
import { type Answer, type ApiUnderTest, type Call, sameForAll, startApi } from './api-under-test.ts';
import { makeOne, nameOf, storeEntities } from './stored-entities.ts';
import { FROM_PAGE, invite, signIn, useLink } from './users-under-test.ts';
import { addTemplate } from './chatapp-under-test.ts';
import { PEPPER, createConfig as createVerifyConfig, storeVerification } from './verify-under-test.ts';

interface Content {
  'application/json': { schema: object; example?: object; examples?: Record<string, { value: object }> };
}

interface Operation {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  requestBody?: { content: Content };
  parameters: { name: string; in: string; description?: string; required?: boolean }[];
  responses: Record<string, { description: string; content: Content }>;
}

/** POSTs that change a template. */
const CHANGES = new Set(['editChatTemplate', 'deleteChatTemplate', 'reviewChatTemplate']);
/** POSTs that neither send nor create, so that a repeat needs no key. */
const KEYLESS = new Set([
  ...CHANGES,
  'drainQueue',
  'retryJobs',
  'cleanQueue',
  'freeParked',
  'discardParked',
  'validateCode',
  'searchMessages',
  'previewWebhook',
  'createSession',
  'useSignInLink',
  'offerTotp',
  'removeTotp',
  'testWebhookSettings',
  'generateHeaderHandle',
  'pullDeliveries',
  'recordDeliveryResults',
]);

/** Members of bodies and queries that name a row of an account, each with a path that names one too. */
const PATHS_OF_IDS: Record<string, string> = {
  configId: '/v1/verify/configs/{id}',
  verifyId: '/v1/verify/{verifyId}',
  templateId: '/v1/sms/templates/{id}',
  chatAccountId: '/v1/chat-accounts/{id}',
  webhookId: '/v1/webhooks/{id}',
  submissionId: '/v1/sms/{submissionId}',
  messageId: '/v1/messages/{messageId}',
  id: '/v1/chatapp/getChatTemplate',
};

const t: ApiUnderTest = await startApi({ env: { OTP_PEPPER: PEPPER } });
const { operations, groups } = await readDocument();
const named = operations.map((each) => [each.operation.operationId, each] as const);

/** Operations whose body is JSON. */
const withBody = named.filter(([, { method, operation }]) => method === 'post' && jsonBody(operation));

beforeAll(storeVerifyExamples);
beforeAll(storeGatewayExamples);
beforeAll(storeUserExample);
afterAll(async () => t[Symbol.asyncDispose]());

test('the document passes the recommended rules of Redocly', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    // the words `templates` and `inbound` are no ids of sends
    rules: { 'no-ambiguous-paths': 'off' },
  });
  const { text } = await t.call({ method: 'GET', path: '/docs/openapi.json' });

  const problems = await lintFromString({ source: text, config });

  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test('every operation has its own id', () => {
  const ids = operations.map(({ operation }) => operation.operationId);

  expect(ids.length).toBeGreaterThan(60);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
});

test.each(named)(
  '%s explains itself and its parameters, and has examples of its answer and of failures',
  (_id, { operation }) => {
    const { '4XX': refusal, '5XX': outage, ...good } = operation.responses;
    expect(operation).toMatchObject({
      summary: expect.any(String),
      description: expect.stringMatching(
        /(Scope: `(send|verify|templates|webhooks|manage|ops|any)`( or `(send|templates|manage)`)*|Needs a session|Needs neither an API key nor a session)\.$/,
      ),
    });
    const silent = operation.parameters.filter((given) => given.in === 'query' && !given.description);
    expect([silent, Object.keys(good)]).toEqual([[], expect.arrayContaining([expect.any(String)])]);
    for (const { content } of Object.values(good))
      expect(content['application/json'].example).toEqual(expect.any(Object));
    const codesOf = (response: typeof refusal): string[] =>
      Object.keys(response?.content['application/json'].examples ?? {});
    expect([codesOf(refusal), codesOf(outage)]).toEqual([
      ['invalid_request', 'api_key_invalid', 'rate_limited'],
      ['unavailable', 'internal_error'],
    ]);
  },
);

test.each(withBody)('%s has several examples of its body', (_id, { operation }) => {
  expect(Object.keys(jsonBody(operation)?.examples ?? {}).length).toBeGreaterThan(1);
});

test.each(withBody.filter(([id]) => !KEYLESS.has(id)))(
  '%s accepts an Idempotency-Key',
  (_id, { operation }) => {
    expect(operation.parameters).toContainEqual(
      expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: false }),
    );
  },
);

test('every operation is in a group, and every group but that of the simulator is used', () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  expect([...used].toSorted()).toEqual(groups.filter((group) => group !== 'Simulator').toSorted());
});

test.each(withBody)(
  'the examples of %s are accepted and answered as documented',
  async (id, { path, operation }) => {
    const { '4XX': _, '5XX': __, ...good } = operation.responses;
    const [status = '', documented] = Object.entries(good).at(-1) ?? [];
    const examples = Object.values(jsonBody(operation)?.examples ?? {});
    const answers = [];
    if (id === 'sendChatMessage') await approveTemplateExamples();
    for (const { value } of examples) answers.push(await tryOut(path, operation, value));

    expect(answers.map((each) => each.status)).toEqual(examples.map(() => Number(status)));
    expect(answers.map(({ headers }) => headers['ignored-fields'])).toEqual(examples.map(() => undefined));
    expect(shapeOf(answers[0]?.body)).toEqual(shapeOf(documented?.content['application/json'].example));
  },
);

test.each(withBody)('null in the body of %s is refused, or absent', async (_id, { path, operation }) => {
  const examples = Object.values(jsonBody(operation)?.examples ?? {}).map(({ value }) => value);
  const members = new Map(examples.flatMap((value) => Object.keys(value).map((name) => [name, value])));
  const failed = [];
  for (const [name, value] of members)
    if ((await tryOut(path, operation, { ...value, [name]: null })).status >= 500) failed.push(name);
  expect(failed).toEqual([]);
});

describe('entities', () => {
  let pathOf: (path: string) => string;
  beforeAll(async () => {
    pathOf = await entities();
  });

  test.each(named.filter(([, { method }]) => method === 'get'))(
    'the example of %s has the form of a real answer',
    async (_id, { path, operation }) => {
      const answer = await callAs(operation, { method: 'GET', path: pathOf(path) });

      expect(answer.status).toBe(200);
      expect(shapeOf(answer.body)).toEqual(
        shapeOf(operation.responses['200']?.content['application/json'].example),
      );
    },
  );

  const ofAccounts = named.filter(
    ([, { path, operation }]) =>
      isOfOne(path) && !/Scope: `ops`|Needs a session/.test(operation.description ?? ''),
  );
  test.each(ofAccounts)(
    '%s answers another account about an id as about one that does not exist',
    async (_id, { method, path, operation }) => {
      const headers = { apikey: await stranger() };
      const [body] = Object.values(jsonBody(operation)?.examples ?? {}).map(({ value }) => value);
      const ask = async (asked: string): Promise<[number, string]> => {
        const call = { method: method.toUpperCase(), path: asked, headers };
        const answer = await t.call(method === 'get' || method === 'delete' ? call : { ...call, body });
        for (const id of idsOf(asked)) answer.text = answer.text.replaceAll(id, '');
        return [answer.status, sameForAll(answer)];
      };
      const real = pathOf(path);
      const foreign = await ask(real);

      expect(idsOf(real)).not.toEqual([]);
      if (foreign[0] < 400) expect(foreign[1]).toContain('\\"data\\":[]');
      expect(foreign).toEqual(await ask(absent(real)));
    },
  );
});

describe('ids in bodies and queries', () => {
  const naming = named.flatMap(([id, listed]) =>
    membersNamingOne(listed).map((member) => [id, member, listed] as const),
  );

  test.each(naming)(
    '%s answers another account about the %s of a row as about none',
    async (_id, member, listed) => {
      const headers = { apikey: await stranger() };
      const pathOf = await entities();
      const [real = ''] = idsOf(pathOf(PATHS_OF_IDS[member] ?? '')).slice(-1);
      const ask = async (id: string): Promise<[number, string]> => {
        const answer = await t.call({ ...callNaming(listed, member, id), headers });
        answer.text = answer.text.replaceAll(id, '');
        return [answer.status, sameForAll(answer)];
      };

      expect(real).not.toBe('');
      expect(await ask(real)).toEqual(await ask(absent(`/${real}`).slice(1)));
    },
  );
});

/** Members of the body and the query of an operation for accounts that name a row. */
function membersNamingOne({ operation }: Listed): string[] {
  if (/Scope: `ops`|Needs a session/.test(operation.description ?? '')) return [];
  const [body = {}] = Object.values(jsonBody(operation)?.examples ?? {}).map(({ value }) => value);
  const query = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  return [...new Set([...Object.keys(body), ...query])].filter((name) => name in PATHS_OF_IDS);
}

/** A call of an operation with its first example, in which a member is this id. */
function callNaming({ method, path, operation }: Listed, member: string, id: string): Call {
  const [example] = Object.values(jsonBody(operation)?.examples ?? {}).map(({ value }) => value);
  const filled = path.replaceAll(/\{\w+\}/g, randomUUIDv7());
  const call = { method: method.toUpperCase(), path: filled };
  if (example === undefined || !(member in example)) return { ...call, path: `${filled}?${member}=${id}` };
  const given = (example as Record<string, unknown>)[member];
  return { ...call, body: { ...example, [member]: typeof given === 'number' ? Number(id) : id } };
}

const entities = once(async () => storeEntities(t, await makeTemplate('APPROVED')));

const stranger = once(() => t.addKey('Stranger', ['send', 'verify', 'templates', 'webhooks', 'manage']));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function isOfOne(path: string): boolean {
  return path.includes('{') || /Template(History)?$/.test(path);
}

/** Ids of entities in a path, as `…-…:1` or `12`. */
function idsOf(path: string): string[] {
  return path.match(/[0-9a-f]{8}-[0-9a-f-]{27}|(?<=\/|id=)\d+/g) ?? [];
}

/** The path with ids of the same form that nothing has. */
function absent(path: string): string {
  return idsOf(path).reduce(
    (made, id) => made.replace(id, id.includes('-') ? randomUUIDv7() : '1999999999'),
    path,
  );
}

interface Listed {
  method: string;
  path: string;
  operation: Operation;
}

async function readDocument(): Promise<{ operations: Listed[]; groups: string[] }> {
  const { body } = await t.call({ method: 'GET', path: '/docs/openapi.json' });
  const { paths, tags } = body as unknown as {
    paths: Record<string, Record<string, Operation>>;
    tags: { name: string }[];
  };
  delete paths['/v1/stream']; // its answer has no end
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return { operations: listed, groups: tags.map(({ name }) => name) };
}

function jsonBody({ requestBody }: Operation): Content['application/json'] | undefined {
  return requestBody?.content['application/json'];
}

/** Stores the configuration and the verifications that the examples of /v1/verify name. */
async function storeVerifyExamples(): Promise<void> {
  await addTemplate(t, 'login_code', { ...TEMPLATE_SAMPLES['copy_code']!, language: 'en' });
  const configId = await createVerifyConfig(t);
  await t.db.query(`UPDATE verification_config SET id = $1 WHERE id = $2`, [CONFIG_ID, configId]);
  await storeVerification(t.db, { id: VERIFY_ID, code: '482913' });
  await storeVerification(t.db, { id: OTHER_VERIFY_ID, code: 'K7PXM2QA' });
}

/** Stores the gateways that the examples of /v1/gateways and /v1/routes name. */
async function storeGatewayExamples(): Promise<void> {
  for (const [name, enabled] of [
    [GATEWAY_NAME, true],
    ['spare', false],
  ] as const) {
    const settings = { delayMs: 200 };
    await t.call({
      path: '/v1/gateways',
      body: { name, channel: 'sms', kind: 'simulator', settings, enabled },
    });
  }
}

/** Approves the templates that the examples of createChatTemplate made, and adds one with a file. */
async function approveTemplateExamples(): Promise<void> {
  const [header] = mediaSamples({ IMAGE: '', VIDEO: '', DOCUMENT: 'a handle' })['utility_document']!
    .components;
  const components = [header!, { type: 'BODY', text: 'Hi {{1}}, here is your invoice.' }];
  await addTemplate(t, 'invoice_ready', { category: 'UTILITY', language: 'en', components });
  await t.db.query(
    `UPDATE template SET status = 'APPROVED', approved_version = version WHERE status = 'PENDING'`,
  );
}

/** Calls an operation with an example of its body, on an entity that exists. */
async function tryOut(
  path: string,
  operation: Operation,
  value: object,
): Promise<Awaited<ReturnType<typeof t.call>>> {
  const { operationId } = operation;
  const status = operationId === 'reviewChatTemplate' ? 'PENDING' : 'APPROVED';
  const body = CHANGES.has(operationId) ? { ...value, id: await makeTemplate(status) } : value;
  const filled = path.replace('{name}', nameOf(path)).replace('{id}', await makeExample(path));
  if (operationId === 'useSignInLink') await storeLinkExample();
  return callAs(operation, { path: filled, body });
}

/** Calls an operation with a key, or with the session of a user where it needs one. */
async function callAs({ description = '' }: Operation, call: Call): Promise<Answer> {
  if (description.endsWith('Needs a session.')) return (await signIn(t, 'editor')).call(call);
  return t.call(description.endsWith('nor a session.') ? { ...call, headers: FROM_PAGE } : call);
}

/** Stores the user whom the examples of signing in name. */
async function storeUserExample(): Promise<void> {
  const { email, password } = SIGN_INS['With a password'];
  const { token } = await invite(t, 'admin', 'Shop', email);
  const body = { newPassword: password };
  await (await useLink(t, token)).call({ method: 'PUT', path: '/v1/session/password', body });
}

async function storeLinkExample(): Promise<void> {
  const { token } = await invite(t, 'admin');
  const example = hashToken(LINKS['A sign-in link'].token);
  await t.db.query(`DELETE FROM sign_in_link WHERE hash = $1`, [example]);
  await t.db.query(`UPDATE sign_in_link SET hash = $1 WHERE hash = $2`, [example, hashToken(token)]);
}

async function makeTemplate(status: string): Promise<string> {
  const [chatAccount] = (await t.call<{ id: number }[]>({ method: 'GET', path: '/v1/chat-accounts' })).body
    .data;
  const template = {
    name: `t${crypto.randomUUID().replaceAll('-', '')}`,
    category: 'UTILITY',
    chatAccountId: chatAccount!.id,
  };
  const { id } = (
    await t.call({
      path: '/v1/chatapp/createChatTemplate',
      body: { ...template, components: [{ type: 'BODY', text: 'Hi' }] },
    })
  ).body;
  await t.db.query(`UPDATE template SET status = $2, approved_version = 1 WHERE id = $1`, [id, status]);
  return id;
}

/** Stores the entity that a path with an id needs. */
async function makeExample(path: string): Promise<string> {
  const name = `looked up ${Math.random()}`;
  if (path.startsWith('/v1/chat-accounts/')) return makeOne(t, '/v1/chat-accounts', { name });
  if (path.endsWith('/rotate')) return makeOne(t, '/v1/api-keys', { name, scopes: ['send'] });
  if (/\/(replay|pull|results)$/.test(path))
    return makeOne(t, '/v1/webhooks', { name, endPoint: 'http://127.0.0.1/' });
  return '';
}

/** Names of all members; a list is only marked as one, since its items may differ. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}
