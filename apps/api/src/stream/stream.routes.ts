import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Authentication } from '../auth/authentication.ts';
import { type CallerRequest, callerOf } from '../auth/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { EventStream } from './event-stream.ts';
import { Subscriber } from './subscriber.ts';

/** Services of the stream. */
export interface StreamServices {
  stream: EventStream;
  authentication: Authentication;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would keep the events back until its buffer is full
  'x-accel-buffering': 'no',
  connection: 'close',
};

/**
 * Adds GET /v1/stream: server-sent events of the caller's account, for keys and sessions of any scope. It ends with its
 * key or session, and when the process stops; clients connect again.
 */
export function addStreamRoute(instance: FastifyInstance, services: StreamServices): void {
  instance.get('/v1/stream', { exposeHeadRoute: false }, (request, reply) => open(services, request, reply));
}

async function open(
  { stream, authentication }: StreamServices,
  request: CallerRequest,
  reply: FastifyReply,
): Promise<void> {
  const caller = callerOf(request);
  if (caller.accountStatus !== 'active') throw new ApiError('account_suspended');
  stream.requirePlace(caller.accountId);
  reply.hijack();
  const response = reply.raw;
  // a client that left meanwhile causes no further event that would remove its stream
  if (response.destroyed || request.raw.socket.destroyed) return;
  const subscriber = new Subscriber(caller, response, () => authentication.isLive(request));
  response.once('close', () => stream.remove(subscriber));
  // the server lets clients end their half of a connection; one that does so has left
  request.raw.socket.once('end', () => response.destroy());
  response.writeHead(200, { ...reply.getHeaders(), ...HEADERS } as Record<string, string>);
  response.write('retry: 2000\n\n');
  stream.add(subscriber);
}
