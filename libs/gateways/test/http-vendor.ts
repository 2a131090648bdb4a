import http from 'node:http';
import type net from 'node:net';
import { plainToInstance } from 'class-transformer';
import type { CallbackRequest } from '../src/callback-format.ts';
import type { GatewayHost } from '../src/gateway-host.ts';
import type { GatewayMessageId } from '../src/gateway-ids.ts';
import { HTTP_KIND } from '../src/http/kind.ts';
import { HttpSettings } from '../src/http/settings.ts';
import { type Listener, listen } from './listen.ts';

/** Settings of a gateway without a preset; `baseUrl` is missing. */
export const SETTINGS = {
  request: {
    method: 'POST',
    url: '{baseUrl}/send',
    auth: [{ type: 'header', name: 'x-key', value: '{token}' }],
    body: { type: 'json', fields: { id: '{messageId}', to: '{recipient}', text: '{text}' } },
  },
  answer: { success: { source: 'id' }, id: 'id', errorCode: 'code', errors: { '7': '003' }, down: ['9'] },
};

/** A request that a vendor received. */
export interface VendorRequest {
  method: string;
  url: URL;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** Fields of the query and of a form. */
  fields: Record<string, string>;
}

/** A vendor on this machine. */
export interface Vendor extends Listener {
  /** Address without a path. */
  origin: string;
  requests: VendorRequest[];
  stop: () => Promise<void>;
}

/** Starts a vendor that answers each request by `answer`. */
export async function startVendor(
  answer: (request: VendorRequest, response: http.ServerResponse, socket: net.Socket) => unknown,
): Promise<Vendor> {
  const requests: VendorRequest[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const read = readRequest(request, Buffer.concat(chunks).toString());
      requests.push(read);
      void answer(read, response, request.socket);
    });
  });
  const listener = await listen(server);
  const origin = `http://127.0.0.1:${listener.port}`;
  const { [Symbol.asyncDispose]: end, ...rest } = listener;
  const stop = async () => {
    await end.call(listener);
  };
  return { ...rest, origin, requests, stop, [Symbol.asyncDispose]: stop };
}

function readRequest({ method = '', url = '/', headers }: http.IncomingMessage, body: string): VendorRequest {
  const parsed = new URL(url, 'http://vendor.test');
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  const fields = Object.fromEntries([...parsed.searchParams, ...new URLSearchParams(isForm ? body : '')]);
  return { method, url: parsed, headers, body, fields };
}

export const CALLBACK_URL = 'https://sms.example.com/v1/callbacks/vendor';

/** Reads settings as the API does. */
function settingsOf(plain: object): HttpSettings {
  return plainToInstance(HttpSettings, structuredClone(plain), { exposeDefaultValues: true });
}

/** A gateway's row. */
export function rowOf(
  settings: object,
  secrets: Record<string, string> = { token: 'TOKEN', callbackSecret: 'SECRET-OF-CALLBACKS' },
) {
  return {
    name: 'vendor',
    channel: 'sms' as const,
    settings: settingsOf(settings),
    secrets,
    ratePerSecond: null,
    callbackUrl: CALLBACK_URL,
  };
}

/** Opens a gateway of the kind `http`. Records what it logs, and the ids that it stores while the database is up. */
export function openGateway(settings: object, secrets?: Record<string, string>) {
  const logged: { event: string; fields: object }[] = [];
  const ids: GatewayMessageId[] = [];
  const database = { isDown: false };
  const log = (fields: object, event: string) => void logged.push({ event, fields });
  const host = {
    logger: { info: log, warn: log, error: log },
    ids: {
      insert: async (_gateway: string, rows: GatewayMessageId[]) => {
        if (database.isDown) throw new Error('the database is down');
        ids.push(...rows);
      },
      report: () => Promise.resolve([]),
    },
  } as unknown as GatewayHost;
  const gateway = HTTP_KIND.open(rowOf({ allowPrivateNetwork: true, ...settings }, secrets), host);
  return { gateway, logged, ids, database };
}

/** Builds the callback that a vendor makes to an address. */
export function callbackTo(
  url: string,
  given: {
    form?: Record<string, string>;
    json?: unknown;
    headers?: http.IncomingHttpHeaders;
    body?: string;
  } = {},
): CallbackRequest {
  const { form, json } = given;
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? '' : JSON.stringify(json);
  return {
    method: form || json !== undefined || given.body !== undefined ? 'POST' : 'GET',
    url,
    query: new URL(url).searchParams,
    headers: { ...(form || json !== undefined ? { 'content-type': type } : {}), ...given.headers },
    body: Buffer.from(given.body ?? body),
  };
}
