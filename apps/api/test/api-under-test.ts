import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { afterAll, expect } from '@jest/globals';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { hashApiKey } from '@signalbox/domain/api-key';
import type { Scope } from '@signalbox/domain/scope';
import { type Pipeline, type PipelineOptions, startPipeline } from '@signalbox/test/pipeline';
import { A_QUEUE } from '@signalbox/test/queue';
import type { EntityManager } from 'typeorm';
import { type CheckAnswer, openDocument } from './documented.ts';

/** A body that POST /v1/sms accepts. */
export const GOOD_SMS = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'TRANS' };

export interface Call {
  method?: string;
  path?: string;
  /** Headers in addition to apikey and content-type; null omits one, an array repeats it. */
  headers?: Record<string, string | string[] | null>;
  /** Sent as JSON, except text and bytes. */
  body?: unknown;
}

/** An answer. `body` has the members that tests read; their expectations check them. */
export interface Answer<D = unknown> {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: {
    id: string;
    data: D;
    totalCount: number;
    nextCursor: string | null;
    message: string;
    error: { code: string; message: string; details: { field: string; rule: string }[] };
  };
}

/** The real API with its own database, and a connection to that database. Every answer is checked against /docs. */
export interface ApiUnderTest extends AsyncDisposable {
  p: Pipeline;
  db: EntityManager;
  call: <D = unknown>(call: Call) => Promise<Answer<D>>;
  /** Creates a key of an account, which is created as needed. */
  addKey: (accountName: string, scopes?: Scope[]) => Promise<string>;
  /** Counts the rows that an accepted call would add. */
  countRows: () => Promise<{ submissions: number; webhooks: number; keys: number }>;
}

/** Starts the API, by default without workers: `await using t = await startApi()`. */
export async function startApi(options: Partial<PipelineOptions> = {}): Promise<ApiUnderTest> {
  await using started = new AsyncDisposableStack();
  const p = started.use(await startPipeline({ queue: A_QUEUE, workers: [], ...options }));
  const agent = new Agent({ keepAlive: true });
  started.defer(() => agent.destroy());
  let document: Promise<CheckAnswer> | undefined;
  const call = async (given: Call): Promise<Answer> => {
    const answer = await send(p, agent, given);
    const { method = 'POST', path = '/v1/sms' } = given;
    const check = await (document ??= openDocument(p.apiUrl));
    if (isJson(answer)) check(method, path, answer.status, answer.body);
    return answer;
  };
  const all = started.move();
  return {
    p,
    db: p.db,
    call: <D>(given: Call) => call(given) as Promise<Answer<D>>,
    addKey: (accountName, scopes) => addKey(p.databaseUrl, p.db, accountName, scopes),
    countRows: () => countRows(p.db),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Starts the API for all tests of a file: `const t = await startSharedApi()`. It stops after the last of them. */
export async function startSharedApi(options: Partial<PipelineOptions> = {}): Promise<ApiUnderTest> {
  const t = await startApi(options);
  afterAll(async () => t[Symbol.asyncDispose]());
  return t;
}

/** Checks a failure: its status, its envelope, its code, and in order each `field rule` that it names. */
export function expectFailure(answer: Answer, status: number, code: string, broken: string[] = []): void {
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code]);
  const { error, message } = answer.body;
  expect(answer.body).toEqual({ id: null, data: null, message: error.message, error });
  expect(error).toMatchObject({
    docs: `/docs/errors#${code}`,
    requestId: answer.headers['x-request-id'],
    retryable: expect.any(Boolean),
  });
  expect(error.details.map(({ field, rule }) => `${field} ${rule}`)).toEqual(broken);
  expect(message).not.toMatch(/select|insert|postgres|redis|\.ts|node_modules/i);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
}

/**
 * A row of a table of bad inputs: name, call, status and code of the failure, and each `field rule` that it
 * breaks.
 */
export type BadInput = [name: string, call: Call, status: number, code: string, broken?: string[]];

/** Checks that a call fails as expected and stores no row, and that a good call after it succeeds. */
export async function expectRefused(
  t: ApiUnderTest,
  call: Call,
  status: number,
  code: string,
  ...[broken]: unknown[]
): Promise<void> {
  const before = await t.countRows();
  expectFailure(await t.call(call), status, code, Array.isArray(broken) ? broken : []);
  expect(await t.countRows()).toEqual(before);
  expect((await t.call({ body: GOOD_SMS })).status).toBe(200);
}

/** The bytes of a failure, without headers and ids that differ from call to call. */
export function sameForAll(answer: Answer): string {
  const { date: _, 'x-request-id': requestId = '', ratelimit: __, ...headers } = answer.headers;
  return JSON.stringify([answer.status, headers, answer.text.replaceAll(String(requestId), '')]);
}

function send(
  p: Pipeline,
  agent: Agent,
  { method = 'POST', path = '/v1/sms', headers = {}, body }: Call,
): Promise<Answer> {
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type =
    bytes === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) };
  const all = Object.entries({ apikey: p.apiKey, ...type, ...headers }).filter(
    ([, value]) => value !== null,
  ) as [string, string | string[]][];
  const { port } = new URL(p.apiUrl);
  return new Promise((resolve, reject) => {
    const request = openRequest(
      { agent, host: '127.0.0.1', port, method, path, headers: Object.fromEntries(all) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: JSON.parse(text || 'null') as Answer['body'],
          });
        });
      },
    );
    request.on('error', reject);
    request.end(bytes);
  });
}

function isJson({ headers }: Answer): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

async function addKey(
  databaseUrl: string,
  db: EntityManager,
  accountName: string,
  scopes?: Scope[],
): Promise<string> {
  const key = await createAccountKey(databaseUrl, accountName, 'test');
  if (scopes) await db.query(`UPDATE api_key SET scopes = $1 WHERE hash = $2`, [scopes, hashApiKey(key)]);
  return key;
}

async function countRows(
  db: EntityManager,
): Promise<{ submissions: number; webhooks: number; keys: number }> {
  const [counts] = await db.query(
    `SELECT (SELECT count(*) FROM submission)::integer AS submissions, (SELECT count(*) FROM webhook)::integer AS webhooks,
            (SELECT count(*) FROM idempotency_key)::integer AS keys`,
  );
  return counts as { submissions: number; webhooks: number; keys: number };
}
