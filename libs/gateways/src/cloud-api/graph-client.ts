import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import { actFor } from '../connection.ts';
import { EndpointResolver } from '../endpoint-resolver.ts';
import { EndpointForbiddenError, guardedConnector } from '../guarded-connector.ts';
import { type GraphError, readGraphError } from './error.ts';
import { type JsonObject, asObject, parseObject } from './json.ts';

export interface GraphOptions {
  /** The gateway whose calls they are: an exception in one is traced to it. */
  gateway: string;
  baseUrl: string;
  /** Permits loopback and private networks. */
  allowPrivateNetwork: boolean;
  version: string;
  accessToken: string;
  timeoutMs: number;
  connections: number;
}

/** One call. A path begins with `/` and follows the version. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  /** A stream needs a `content-length` among the headers. */
  body?: JsonObject | Readable;
  headers?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * The outcome of a call. `unreachable`: nothing was sent. `unanswered`: the call was sent and may have had its effect,
 * but no readable answer came.
 */
export type GraphAnswer =
  | { result: 'ok'; body: JsonObject }
  | { result: 'refused'; status: number; error: GraphError }
  | { result: 'unreachable'; reason: string }
  | { result: 'unanswered'; reason: string };

const MAX_ANSWER_BYTES = 4_194_304;
const CONNECT_TIMEOUT_MS = 5_000;

/** Calls the Graph API. Never rejects: a failure of any kind is an answer. */
export class GraphClient {
  private readonly resolver: EndpointResolver;
  private readonly agent: Agent;
  private readonly dispatcher: Dispatcher;
  private readonly base: string;

  constructor(private readonly options: GraphOptions) {
    this.base = `${options.baseUrl.replace(/\/+$/, '')}/${options.version}`;
    this.resolver = new EndpointResolver({ allowPrivate: options.allowPrivateNetwork });
    const connect = guardedConnector({
      allowPrivate: options.allowPrivateNetwork,
      timeoutMs: CONNECT_TIMEOUT_MS,
      lookup: this.resolver.lookup,
    });
    this.agent = new Agent({
      connections: options.connections,
      pipelining: 1,
      connect: (target, callback) => void connect(target, callback),
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.dispatcher = this.agent.compose(noteStart);
  }

  async call({ method, path, query = {}, body, headers = {}, ...limits }: GraphCall): Promise<GraphAnswer> {
    const sent: Sent = { isStarted: false };
    try {
      const answer = await actFor({ gateway: this.options.gateway }, () =>
        request(this.base + path, {
          dispatcher: this.dispatcher,
          opaque: sent,
          method,
          query,
          headers: {
            authorization: `Bearer ${this.options.accessToken}`,
            ...(body && { 'content-type': 'application/json' }),
            ...headers,
          },
          body: encodeBody(body),
          signal: this.limit(limits),
          headersTimeout: 0, // one deadline bounds the whole call
          bodyTimeout: 0,
        }),
      );
      return read(answer.statusCode, Buffer.from(await answer.body.arrayBuffer()));
    } catch (error) {
      return { result: sent.isStarted ? 'unanswered' : 'unreachable', reason: reasonOf(error) };
    }
  }

  /** Uploads name their token in another way. */
  get uploadAuthorization(): string {
    return `OAuth ${this.options.accessToken}`;
  }

  /** Ends all calls in flight. */
  close(): Promise<void> {
    this.resolver.close();
    return this.agent.destroy();
  }

  private limit({ timeoutMs = this.options.timeoutMs, signal }: Pick<GraphCall, 'timeoutMs' | 'signal'>) {
    const timeout = AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)));
    return signal ? AbortSignal.any([signal, timeout]) : timeout;
  }
}

function encodeBody(body: GraphCall['body']): Readable | string | null {
  if (body === undefined) return null;
  return body instanceof Readable ? body : JSON.stringify(body);
}

/** Set when a request is written to a connection. */
interface Sent {
  isStarted: boolean;
}

/** Marks a request at the moment it gets a connection: until then none of it was sent. */
const noteStart: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const sent = (options as { opaque?: Sent }).opaque;
  return dispatch(options, {
    onRequestStart: (controller, context) => {
      if (sent) sent.isStarted = true;
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  });
};

function read(status: number, body: Buffer): GraphAnswer {
  const object = parseObject(body);
  const error = object && readGraphError(object['error']);
  if (error) return { result: 'refused', status, error };
  if (status >= 200 && status < 300 && object) return { result: 'ok', body: object };
  if (status === 429) return { result: 'refused', status, error: withoutCode('Too many requests') };
  return { result: 'unanswered', reason: `status ${status} without a readable body` };
}

function withoutCode(description: string): GraphError {
  return { code: 4, description, isTransient: true };
}

/** Descriptions of errors of the network, by their codes. */
const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the name of its host is not found',
  EAI_AGAIN: 'the name of its host is not found',
  ETIMEDOUT: 'its address cannot be reached',
  EHOSTUNREACH: 'its address cannot be reached',
  ENETUNREACH: 'its address cannot be reached',
};

function reasonOf(error: unknown): string {
  if (error instanceof EndpointForbiddenError)
    return 'its address is private; if that is meant, set allowPrivateNetwork to true';
  const { code, name, message } = (asObject(error) ?? {}) as {
    code?: string;
    name?: string;
    message?: string;
  };
  if (name === 'TimeoutError') return 'no answer in time';
  return NETWORK_ERRORS[code ?? ''] ?? code ?? message ?? name ?? 'unknown error';
}
