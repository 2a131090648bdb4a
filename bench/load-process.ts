import autocannon from 'autocannon';
import { answerCommands } from './side-process.ts';

/** One POST, repeated. */
export interface Load {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Sent one after the other instead of `body`, over all connections. */
  bodies?: string[] | undefined;
  connections: number;
  seconds: number;
  /**
   * Closes the loop over the whole pipeline: maximum number of messages accepted or under way and not yet received.
   * By default each connection sends again as soon as it has its answer.
   */
  window?: number | undefined;
}

/** Result of a load. */
export interface LoadResult {
  ok: number;
  failed: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A client of autocannon; this is the method by which it sends each of its requests. */
interface Sender {
  _doRequest: () => void;
}

let sent = 0;
let ok = 0;
let failed = 0;
let received = 0;
let waiting: (() => void)[] = [];

answerCommands({
  run,
  accepted: () => ok,
  received: ({ count }: { count: number }) => {
    received = count;
    release();
  },
});

async function run({
  url,
  headers,
  body,
  bodies,
  connections,
  seconds,
  window = Infinity,
}: Load): Promise<LoadResult> {
  [sent, ok, failed, received, waiting] = [0, 0, 0, 0, []];
  const gate = (client: unknown): void => holdBack(client as Sender, window);
  const ended = Promise.withResolvers<autocannon.Result>();
  const what = bodies ? { requests: [cycle(bodies)] } : { body };
  const load = autocannon(
    { url, method: 'POST', headers, ...what, connections, duration: seconds, setupClient: gate },
    (error, result) => {
      if (error) ended.reject(error);
      else ended.resolve(result);
    },
  );
  load.on('response', (_client, status) => void (status < 300 ? (ok += 1) : (failed += 1)));
  const { duration, latency } = await ended.promise;
  return { ok, failed, perSecond: ok / duration, p50Ms: latency.p50, p99Ms: latency.p99 };
}

/** A request that cycles through bodies. */
function cycle(bodies: string[]): autocannon.Request {
  let next = 0;
  return {
    method: 'POST',
    setupRequest: (request) => ({ ...request, body: bodies[next++ % bodies.length]! }),
  };
}

let limit = Infinity;

/** Replaces a method of autocannon, which can pace a load only by whole seconds. */
function holdBack(client: Sender, window: number): void {
  limit = window;
  const send = client._doRequest.bind(client);
  client._doRequest = () => {
    waiting.push(send);
    release();
  };
}

function release(): void {
  while (waiting.length > 0 && sent - failed - received < limit) {
    sent += 1;
    waiting.shift()?.();
  }
}
