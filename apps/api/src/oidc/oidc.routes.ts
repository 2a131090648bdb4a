import type { Logger } from '@signalbox/runtime/logger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CALLBACK_PATH, type ProviderSignIn } from './provider-sign-in.service.ts';
import { SignInProblem } from './sign-in-problem.ts';

const MAX_NEXT = 500;

const DASHBOARD_PATH = '/app';

/**
 * Adds GET /oidc/sign-in, which leads a browser to the identity provider, and GET /oidc/callback, where it comes
 * back.
 */
export function addOidcRoutes(instance: FastifyInstance, signIn: ProviderSignIn, logger: Logger): void {
  const add = (
    path: string,
    act: (request: FastifyRequest, reply: FastifyReply) => Promise<string>,
  ): void => {
    instance.get(path, { exposeHeadRoute: false }, async (request, reply) => {
      reply.header('referrer-policy', 'no-referrer');
      return reply.redirect(
        await act(request, reply).catch((error) => failedPage(logger, request, error)),
        303,
      );
    });
  };
  add('/oidc/sign-in', (request, reply) => signIn.begin(request, reply, nextOf(request)));
  add(CALLBACK_PATH, (request, reply) => signIn.complete(request, reply));
}

/**
 * Path of the dashboard that the page asked for; the start page for anything else. Dots must not lead out of the
 * dashboard: a short link redirects elsewhere, and would take the token of a link along. The fragment is cut off, because
 * that token takes its place.
 */
function nextOf({ query }: FastifyRequest): string {
  const { next } = query as { next?: unknown };
  if (typeof next !== 'string' || next.length > MAX_NEXT) return '/';
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return '/';
  const { pathname, search } = new URL(`${DASHBOARD_PATH}${next}`, 'http://dashboard');
  return pathname.startsWith(`${DASHBOARD_PATH}/`) ? (pathname + search).slice(DASHBOARD_PATH.length) : '/';
}

/** Path of the sign-in page, which explains the reason. */
function failedPage(logger: Logger, { id: requestId }: FastifyRequest, error: unknown): string {
  const reason = error instanceof SignInProblem ? error.reason : 'refused';
  const cause = error instanceof SignInProblem ? error.cause : error;
  logger.warn({ requestId, reason, cause: summaryOf(cause) }, 'oidc.sign_in_failed');
  return `/app/sign-in?problem=${reason}`;
}

/** Name, code and message of a failure. Its other members may hold answers of the identity provider. */
function summaryOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as { code?: unknown };
  return [cause.name, code, cause.message].filter((part) => typeof part === 'string').join(': ');
}
