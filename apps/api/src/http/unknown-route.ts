import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Methods of the API, in the order of the Allow header. */
const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The failure of a request without a route: 405 with Allow when the path answers other methods, otherwise
 * 404.
 */
export function unknownRoute(
  instance: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError {
  const allowed = METHODS.filter((method) => answers(instance, method, request.url));
  if (allowed.length === 0) return new ApiError('route_not_found');
  reply.header('allow', allowed.join(', '));
  return new ApiError('method_not_allowed');
}

/**
 * Whether a route answers. Routes also match empty parameters (`/v1/messages/`), but are not run for them.
 */
function answers(instance: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route = instance.findRoute({ method, url });
  if (route === null) return false;
  return Object.entries(route.params).every(([name, value]) => value !== '' || name === '*');
}
