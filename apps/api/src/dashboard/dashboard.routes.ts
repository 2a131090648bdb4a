import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { answerWithError } from '../errors/error.filter.ts';
import { pageHeaders } from '../http/page-headers.ts';

/** Folder of the built dashboard. */
const DASHBOARD_FOLDER = join(import.meta.dirname, '../../../dashboard/dist');

const HEADERS = {
  ...pageHeaders({
    'img-src': "'self' data: blob:",
    'media-src': "'self' blob:",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
  }),
  'cache-control': 'no-cache',
};

/** A name with the hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Path below /app of a file of the build; every other path is one of its page. */
const FILE = /^(?:assets\/)?\w[\w-]*\.[\w.-]+$/;
const PAGE = 'index.html';

/** Page of an installation whose dashboard is not built. */
const NOT_BUILT = `The dashboard is not built. Run \`npm run build\` in the folder of Signalbox.
The API works without it: see /docs.
`;

/**
 * Adds the dashboard under /app: hashed assets for a year, and its one page for every other path. `GET /` leads
 * browsers to it. Each request reads the folder, so a new build is served without a restart.
 *
 * @param folder the built dashboard
 */
export function addDashboardRoutes(instance: FastifyInstance, folder: string = DASHBOARD_FOLDER): void {
  instance.get('/', leadBrowsers);
  const addRoutes = (scope: FastifyInstance, _options: unknown, done: () => void): void => {
    addFiles(scope, folder);
    done();
  };
  void instance.register(addRoutes, { prefix: '/app' });
}

/** Clients of the API get the answer of any unknown path. */
function leadBrowsers(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('vary', 'accept');
  if (request.headers.accept?.includes('text/html')) return reply.redirect('/app');
  return sendNotFound(request, reply);
}

function addFiles(scope: FastifyInstance, folder: string): void {
  scope.addHook('onRequest', (_request, reply, next) => {
    reply.headers(HEADERS);
    next();
  });
  scope.setNotFoundHandler(sendNotFound);
  void scope.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      if (path.startsWith(join(folder, 'assets'))) reply.header('cache-control', IMMUTABLE);
    },
  });
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => answerWithPage(request, reply, folder);
  scope.get('/', sendPage);
  scope.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const path = request.params['*'];
    return path !== PAGE && FILE.test(path) ? reply.sendFile(path) : sendPage(request, reply);
  });
}

async function answerWithPage(
  request: FastifyRequest,
  reply: FastifyReply,
  folder: string,
): Promise<FastifyReply> {
  const page = await readFile(join(folder, PAGE)).catch(() => undefined);
  if (!page) return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 27)}"`;
  reply.header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('text/html; charset=utf-8').send(page);
}

/** An unknown path, or an asset of an earlier build. */
function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  answerWithError(reply, new ApiError('route_not_found'));
  return reply;
}
