import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** A template as the fake keeps it. */
export interface FakeTemplate extends Json {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
}

interface Answer {
  status?: number;
  body?: unknown;
  /** Never answers. */
  silent?: true;
  /** Closes the connection after the request was read. */
  cut?: true;
  /** Lets the fake answer, once this has resolved. */
  after?: Promise<unknown>;
}

/** A request that the fake got. */
export interface GraphRequest {
  method: string;
  /** Without the version. */
  path: string;
  query: URLSearchParams;
  body: Json;
  raw: Buffer;
  headers: IncomingMessage['headers'];
}

/** The Graph API as far as Signalbox calls it, in memory, for one business account. */
export interface GraphServer extends AsyncDisposable {
  url: string;
  requests: GraphRequest[];
  /** Bodies of the messages that it took. */
  sent: Json[];
  templates: Map<string, FakeTemplate>;
  uploads: Map<string, { bytes: Buffer; size: number; handle: string }>;
  /** Answers in place of the fake; undefined lets the fake answer. */
  intercept: (request: GraphRequest) => Answer | undefined;
  numbers: { id: string; display_phone_number: string }[];
}

export const WABA = '102290129340398';
export const APP = '670843887433847';
export const TOKEN = 'access token';
export const APP_SECRET = 'app secret';
export const VERIFY_TOKEN = 'verify token';
const VERSION = '/v25.0';

/** The settings and secrets of a gateway to a fake. */
export function graphRow(url: string): { settings: Json; secrets: Record<string, string> } {
  return {
    settings: {
      businessAccountId: WABA,
      appId: APP,
      baseUrl: url,
      allowPrivateNetwork: true,
      timeoutMs: 5_000,
    },
    secrets: { accessToken: TOKEN, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN },
  };
}

/** An error as Meta answers it. */
export function graphError(code: number, more: Json = {}, status = 400): Answer {
  const error = { message: `(#${code}) Refused`, type: 'OAuthException', code, ...more };
  return { status, body: { error } };
}

/** Wraps changes in the body of a webhook, with its signature. */
export function webhook(...changes: Json[]): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: WABA, time: Math.floor(Date.now() / 1_000), changes }],
  });
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
  return {
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
  };
}

/** Starts the fake with the numbers given. */
export async function startGraph(...msisdns: string[]): Promise<GraphServer> {
  const server = createServer((request, response) => void serve(graph, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const graph: GraphServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    sent: [],
    templates: new Map(),
    uploads: new Map(),
    intercept: () => undefined,
    numbers: msisdns.map((msisdn, i) => ({ id: String(106_540 + i), display_phone_number: `+${msisdn}` })),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return graph;
}

async function serve(graph: GraphServer, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await readRequest(incoming).catch(() => undefined);
  if (!request) return;
  graph.requests.push(request);
  const isAllowed = [`Bearer ${TOKEN}`, `OAuth ${TOKEN}`].includes(String(request.headers.authorization));
  const intercepted = graph.intercept(request);
  await intercepted?.after;
  const own = intercepted?.after ? undefined : intercepted;
  const answer = own ?? (isAllowed ? act(graph, request) : graphError(190, {}, 401));
  if (answer.silent) return;
  if (answer.cut) {
    incoming.socket.destroy();
    return;
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
}

async function readRequest(incoming: IncomingMessage): Promise<GraphRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://graph');
  const isJson = incoming.headers['content-type'] === 'application/json' && raw.length > 0;
  return {
    method: incoming.method ?? '',
    path: pathname.replace(VERSION, ''),
    query: searchParams,
    body: isJson ? (JSON.parse(raw.toString()) as Json) : {},
    raw,
    headers: incoming.headers,
  };
}

function act(graph: GraphServer, request: GraphRequest): Answer {
  const { method, path } = request;
  if (path === `/${WABA}/phone_numbers`) return { body: { data: graph.numbers } };
  if (path === `/${WABA}/message_templates`) return onTemplates(graph, request);
  if (path === `/${APP}/uploads`) return openUpload(graph, request);
  if (graph.uploads.has(path)) return onUpload(graph, request);
  if (path.endsWith('/messages') && method === 'POST') return takeMessage(graph, request);
  if (path.endsWith('/message_history')) return { body: { data: [] } };
  const template = graph.templates.get(path.slice(1));
  if (!template) return graphError(100, { message: 'Object does not exist' }, 404);
  if (method === 'POST') Object.assign(template, request.body, { status: 'PENDING' });
  return { body: method === 'POST' ? { success: true } : template };
}

function takeMessage(graph: GraphServer, { path, body }: GraphRequest): Answer {
  if (!graph.numbers.some(({ id }) => path === `/${id}/messages`)) return graphError(100, {}, 404);
  graph.sent.push(body);
  return {
    body: { messaging_product: 'whatsapp', contacts: [], messages: [{ id: `wamid.${graph.sent.length}` }] },
  };
}

function onTemplates(graph: GraphServer, { method, query, body }: GraphRequest): Answer {
  const all = [...graph.templates.values()];
  if (method === 'GET') {
    const named = all.filter(({ name }) => name.includes(query.get('name') ?? ''));
    return { body: { data: named } };
  }
  if (method === 'DELETE') {
    return { body: { success: graph.templates.delete(query.get('hsm_id') ?? '') } };
  }
  if (all.some(({ name, language }) => name === body['name'] && language === body['language']))
    return graphError(100, { error_user_msg: 'There is already English content for this template.' });
  const id = String(594_425_000 + graph.requests.length);
  const template = { ...(body as unknown as FakeTemplate), id, status: 'PENDING' };
  graph.templates.set(id, template);
  return { body: { id, status: 'PENDING', category: template.category } };
}

function openUpload(graph: GraphServer, { query }: GraphRequest): Answer {
  const id = `upload:${graph.uploads.size + 1}`;
  const size = Number(query.get('file_length'));
  graph.uploads.set(`/${id}`, { bytes: Buffer.alloc(0), size, handle: `4::${id}` });
  return { body: { id } };
}

function onUpload(graph: GraphServer, { method, path, raw, headers }: GraphRequest): Answer {
  const upload = graph.uploads.get(path)!;
  if (method === 'GET') return { body: { id: path.slice(1), file_offset: upload.bytes.length } };
  if (Number(headers['file_offset']) !== upload.bytes.length) return graphError(1, {}, 400);
  upload.bytes = Buffer.concat([upload.bytes, raw]);
  return { body: { h: upload.handle } };
}
