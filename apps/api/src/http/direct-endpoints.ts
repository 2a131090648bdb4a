import { RequestMethod, SetMetadata } from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, RouteHandlerMethod } from 'fastify';
import type { CallerRequest } from '../auth/caller.ts';
import type { CallerGuard } from '../auth/caller.guard.ts';
import type { HttpEdge } from './http-edge.ts';
import { type Parameter, listMethods, parametersOf } from './parameters.ts';
import type { RequestPipe } from './request-pipe.ts';

const DIRECT = Symbol('direct');

/** A method of a controller. */
type Method = (...args: never[]) => Promise<object>;

/** Serves an endpoint without Nest's router, for the busiest ones. */
export function Direct(): <M extends Method>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void {
  return SetMetadata(DIRECT, true);
}

/** The guard, the pipe and the filter of every endpoint. */
export interface Surroundings extends HttpEdge {
  guard: Pick<CallerGuard, 'admit' | 'termsOf'>;
}

/** Reads one argument of a method from a request. */
type Reader = (request: CallerRequest, reply: FastifyReply) => unknown;

/**
 * Serves the endpoints with `@Direct()` without Nest's router, which takes a fifth of the time in which a process accepts
 * a message. Their guard, pipe and filter are those of all other endpoints. Call it before the application is
 * initialized, which adds the routes.
 *
 * @throws Error when an endpoint has a parameter or an interceptor that only the router serves
 */
export function serveDirectly(app: NestFastifyApplication, around: Surroundings): void {
  const handlers = new Map<string, RouteHandlerMethod>();
  for (const { controller, method } of listMethods(app)) {
    const endpoint = (controller.prototype as Record<string, Method>)[method]!;
    if (!Reflect.hasMetadata(DIRECT, endpoint)) continue;
    handlers.set(routeOf(controller, endpoint), handlerOf(app, controller, endpoint, around));
  }
  const instance = app.getHttpAdapter().getInstance();
  instance.addHook('onRoute', (route) => {
    route.handler = handlers.get(`${String(route.method)} ${route.url}`) ?? route.handler;
  });
}

/** The method and the path of a route, as Fastify names them: `POST /v1/sms`. */
function routeOf(controller: Function, endpoint: Method): string {
  const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, endpoint) as RequestMethod];
  const paths = [controller, endpoint].map((at) => String(Reflect.getMetadata(PATH_METADATA, at)));
  const steps = paths.flatMap((path) => path.split('/')).filter((step) => step !== '');
  return `${verb} /${steps.join('/')}`;
}

function handlerOf(
  app: NestFastifyApplication,
  controller: Function,
  endpoint: Method,
  { guard, pipe, filter }: Surroundings,
): RouteHandlerMethod {
  if (Reflect.hasMetadata(INTERCEPTORS_METADATA, endpoint))
    throw new Error(`${endpoint.name} has interceptors: remove them, or its @Direct()`);
  const service: unknown = app.get(controller as never, { strict: false });
  const terms = guard.termsOf(controller, endpoint);
  const status = Reflect.getMetadata(HTTP_CODE_METADATA, endpoint) as number;
  const readers = parametersOf(controller, endpoint.name)
    .toSorted((a, b) => a.index - b.index)
    .map((parameter) => readerOf(parameter, pipe));
  const call = (request: CallerRequest, reply: FastifyReply): Promise<object> =>
    endpoint.apply(service, readers.map((read) => read(request, reply)) as never[]);
  return (request: CallerRequest, reply) => {
    const fail = (error: unknown): void => filter.answer(error, reply);
    try {
      const passing = guard.admit(request, reply, terms);
      const answered = passing ? passing.then(() => call(request, reply)) : call(request, reply);
      answered.then((answer) => void reply.code(status).send(answer)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

function readerOf({ kind, type, factory }: Parameter, pipe: RequestPipe): Reader {
  if (factory) return (request, reply) => factory(undefined, new ExecutionContextHost([request, reply]));
  const metadata = { metatype: type, data: undefined };
  if (kind === RouteParamtypes.BODY) return ({ body }) => pipe.transform(body, { type: 'body', ...metadata });
  if (kind === RouteParamtypes.QUERY)
    return ({ query }) => pipe.transform(query, { type: 'query', ...metadata });
  throw new Error(`@Direct() allows @Body(), @Query() and parameters of our own only, not the kind ${kind}`);
}
