import fastifyStatic from '@fastify/static';
import type { BoardRoute, QueueBoard } from '@signalbox/queues/queue-board';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authentication } from '../auth/authentication.ts';
import type { CallerRequest } from '../auth/caller.ts';
import type { CallerGuard, Terms } from '../auth/caller.guard.ts';
import { ApiError } from '../errors/api-error.ts';
import { pageHeaders } from '../http/page-headers.ts';

/** Path of bull-board, below that of the dashboard. */
const PATH = '/app/bull-board';

/** Headers of its page, which finds its files by a `base`. */
const HEADERS = pageHeaders({
  'img-src': "'self' data:",
  'worker-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'none'",
});

/** A name with the hash of its content never changes. */
const IMMUTABLE = 'private, max-age=31536000, immutable';
const HASHED = /\.[0-9a-f]{10}\.(js|css)$/;

const NO_CONTENT = 204;

const READING = {
  id: 'getQueueBoard',
  scope: 'ops',
  cost: 1,
  reads: true,
  personal: false,
  whileSuspended: false,
  traffic: false,
  writes: false,
  hasQuery: true,
  previews: false,
} as const satisfies Terms;

/** Services of bull-board. */
export interface BoardServices {
  authentication: Authentication;
  guard: CallerGuard;
  /** Undefined while the queues are on Postgres. */
  board: QueueBoard | undefined;
}

type BoardRequest = FastifyRequest<{
  Params: Record<string, string>;
  Querystring: Record<string, string>;
}>;

/**
 * Adds bull-board under /app/bull-board, for sessions and keys with the scope `ops`, with the rules of other writes:
 * from a page of this service, and audited. Without queues on Redis it returns 404.
 */
export function addQueueBoard(
  instance: FastifyInstance,
  { authentication, guard, board }: BoardServices,
): void {
  void instance.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (request, reply, next) => {
        reply.headers(HEADERS);
        authentication.admit(request as CallerRequest, reply, next);
      });
      scope.addHook('preHandler', async (request, reply) => {
        const terms = termsOf(request);
        await guard.admit(request as CallerRequest, reply, terms);
        if (terms.writes) await authentication.requireLive(request as CallerRequest);
      });
      if (board) addBoard(scope, board);
      else for (const path of ['/', '/*']) scope.get(path, refuse);
      done();
    },
    { prefix: PATH },
  );
}

/** A write takes no query: the audit log leaves out dry runs, and the board has none. */
function termsOf({ method, routeOptions }: FastifyRequest): Terms {
  if (method === 'GET' || method === 'HEAD') return READING;
  const { write } = routeOptions.config as { write?: string };
  return {
    ...READING,
    id: write ?? READING.id,
    reads: false,
    writes: write !== undefined,
    hasQuery: false,
  };
}

function refuse(): never {
  throw new ApiError('queue_board_unavailable');
}

function addBoard(scope: FastifyInstance, { routes, pages, assets, page }: QueueBoard): void {
  const html = page(PATH);
  for (const path of pages)
    scope.get(path, (_request, reply) => reply.type('text/html; charset=utf-8').send(html));
  for (const route of routes) addRoute(scope, route);
  void scope.register(fastifyStatic, {
    root: assets,
    prefix: '/static/',
    index: false,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      if (HASHED.test(path)) reply.header('cache-control', IMMUTABLE);
    },
  });
}

function addRoute(scope: FastifyInstance, { method, path, write, answer }: BoardRoute): void {
  scope.route({
    method,
    url: path,
    config: { write },
    handler: async (request, reply): Promise<FastifyReply> => {
      const { params, query, body } = request as BoardRequest;
      const answered = await answer({ params, query, body });
      if (answered.status === NO_CONTENT) return reply.code(NO_CONTENT).send();
      return reply.code(answered.status).type('application/json; charset=utf-8').send(answered.body);
    },
  });
}
