import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Methods of the API, in the order of the Allow header. */
const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns the failure of a request without a route: 405 with Allow when the path has other methods, otherwise 404. */
export function unknownRoute(
  instance: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError {
  const allowed = METHODS.filter((method) => answers(instance, method, request.url));
  if (allowed.length === 0) return new ApiError('route_not_found');
  const methods = allowed.join(', ');
  reply.header('allow', methods);
  return new ApiError(
    'method_not_allowed',
    `The path does not accept ${request.method}. It accepts ${methods}.`,
  );
}

/**
 * True when a route serves this path. A route also matches an empty parameter (`/v1/messages/`), but does not run.
 */
function answers(instance: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route = instance.findRoute({ method, url });
  if (route === null) return false;
  return Object.entries(route.params).every(([name, value]) => value !== '' || name === '*');
}
