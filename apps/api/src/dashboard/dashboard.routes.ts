import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { answerWithError } from '../errors/error.filter.ts';

/** Folder of the built dashboard. */
const DASHBOARD_FOLDER = join(import.meta.dirname, '../../../dashboard/dist');

/** Content security policy of the dashboard: it runs its own scripts only, and calls nothing but this origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/** A name with the hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Page of an installation whose dashboard is not built. */
const NOT_BUILT = `The dashboard is not built. Run \`npm run build\` in the folder of Signalbox, and restart the api.
The API works without it: see /docs.
`;

/**
 * Adds the dashboard under /app: hashed assets for a year, and its one page for every other path. `GET /` leads browsers
 * to it.
 *
 * @param folder the built dashboard
 */
export function addDashboardRoutes(instance: FastifyInstance, folder: string = DASHBOARD_FOLDER): void {
  instance.get('/', leadBrowsers);
  void instance.register((scope, _options, done) => {
    scope.addHook('onRequest', (_request, reply, next) => {
      reply.headers(HEADERS);
      next();
    });
    if (existsSync(join(folder, 'index.html'))) addFiles(scope, folder);
    else for (const path of ['/app', '/app/*']) scope.get(path, sendNotBuilt);
    done();
  });
}

/** Clients of the API get the answer of any unknown path. */
function leadBrowsers(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('vary', 'accept');
  if (request.headers.accept?.includes('text/html')) return reply.redirect('/app');
  answerWithError(reply, new ApiError('route_not_found'));
  return reply;
}

function sendNotBuilt(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
}

function addFiles(scope: FastifyInstance, folder: string): void {
  void scope.register(fastifyStatic, {
    root: folder,
    prefix: '/app/',
    wildcard: false,
    index: false,
    decorateReply: false,
    preCompressed: true,
    globIgnore: ['index.html', '.vite/**', '**/*.br', '**/*.gz'],
    cacheControl: false,
    setHeaders: (reply, path) => {
      if (path.startsWith(join(folder, 'assets'))) reply.header('cache-control', IMMUTABLE);
    },
  });
  const page = readFileSync(join(folder, 'index.html'));
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 27)}"`;
  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (request.url.startsWith('/app/assets/')) return notFound(reply);
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page);
  };
  scope.get('/app', sendPage);
  scope.get('/app/*', sendPage);
}

/** An asset of an earlier build. */
function notFound(reply: FastifyReply): FastifyReply {
  answerWithError(reply, new ApiError('route_not_found'));
  return reply;
}
