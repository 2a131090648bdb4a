import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call that a webhook's endpoint received. */
export interface ReceivedPush {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The report, from the JSON body or the query. */
  report: Record<string, string>;
  at: number;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: ReceivedPush[];
  /** Resolves when the calls received so far satisfy the condition. */
  until: (satisfied: (received: ReceivedPush[]) => boolean, timeoutMs?: number) => Promise<void>;
  /** Message ids received so far, each once. */
  messageIds: () => Set<string>;
}

/** An endpoint for webhooks on loopback; by default it returns 200. */
export async function startReceiver(
  answer: (push: ReceivedPush, response: ServerResponse) => void = ok,
): Promise<Receiver> {
  const received: ReceivedPush[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const push = toPush(request, body);
      received.push(push);
      answer(push, response);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    messageIds: () => new Set(received.map((push) => push.report['messageId'] ?? '')),
    until: (satisfied, timeoutMs = 120_000) =>
      until(
        () => satisfied(received),
        waiting,
        timeoutMs,
        () => `${received.length} calls were received`,
      ),
    [Symbol.asyncDispose]: () => close(server),
  };
}

function ok(_: ReceivedPush, response: ServerResponse): void {
  response.end('ok');
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += String(chunk);
  return body;
}

function toPush(request: IncomingMessage, body: string): ReceivedPush {
  const { method = '', url = '', headers } = request;
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
  return {
    method,
    url,
    headers,
    body,
    report: body === '' ? query : (JSON.parse(body) as Record<string, string>),
    at: Date.now(),
  };
}

function until(
  satisfied: () => boolean,
  waiting: Set<() => void>,
  timeoutMs: number,
  state: () => string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      waiting.delete(check);
      settle();
    };
    const check = (): void => {
      if (satisfied()) end(resolve);
    };
    const timer = setTimeout(
      () => end(() => reject(new Error(`the condition was not met within ${timeoutMs} ms: ${state()}`))),
      timeoutMs,
    );
    waiting.add(check);
    check();
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
