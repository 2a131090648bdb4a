import { RequestMethod, SetMetadata } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
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

/** Decorations of an endpoint or its controller that only Nest's router respects. */
const ROUTER_ONLY = [
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
];

/** A method of a controller. */
type Method = (...args: never[]) => Promise<object>;

/**
 * Serves an endpoint without Nest's router, for the busiest ones. It needs `@HttpCode()`, and may have `@Body()`,
 * `@Query()` and parameters of our own, but no separate guards, interceptors, pipes, filters or headers.
 */
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
 * Serves the endpoints with `@Direct()` without Nest's router, which takes a fifth of the CPU of a route that does nothing
 * (bench/README.md). Their guard, pipe and filter are those of all other endpoints. Must be called before the application
 * is initialized: it replaces handlers as their routes are added.
 *
 * @throws Error when an endpoint has a decoration that only the router respects
 */
export function serveDirectly(app: NestFastifyApplication, around: Surroundings): void {
  const handlers = new Map<string, RouteHandlerMethod>();
  for (const { controller, method } of listMethods(app)) {
    const endpoint = Object.getOwnPropertyDescriptor(controller.prototype, method)?.value as
      | Method
      | undefined;
    if (!endpoint || !Reflect.hasMetadata(DIRECT, endpoint)) continue;
    handlers.set(routeOf(controller, endpoint), handlerOf(app, controller, endpoint, around));
  }
  const instance = app.getHttpAdapter().getInstance();
  instance.addHook('onRoute', (route) => {
    const name = `${String(route.method)} ${route.url}`;
    route.handler = handlers.get(name) ?? route.handler;
    handlers.delete(name);
  });
  instance.addHook('onReady', (done) => {
    const [unknown] = handlers.keys();
    done(unknown === undefined ? undefined : new Error(`no route ${unknown} of a direct endpoint was added`));
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
  const status = statusOf(controller, endpoint);
  const service: unknown = app.get(controller as never, { strict: false });
  const terms = guard.termsOf(controller, endpoint);
  // in the order in which Nest reads them, so that the same one of several faults is reported
  const readers = parametersOf(controller, endpoint.name).map((parameter) => ({
    index: parameter.index,
    read: readerOf(parameter, pipe),
  }));
  const call = (request: CallerRequest, reply: FastifyReply): Promise<object> => {
    const args: unknown[] = [];
    for (const { index, read } of readers) args[index] = read(request, reply);
    return endpoint.apply(service, args as never[]);
  };
  return (request: CallerRequest, reply) => {
    const fail = (error: unknown): void => {
      try {
        filter.answer(error, reply);
      } catch {
        reply.raw.destroy(); // the failure is logged, and cannot be answered
      }
    };
    try {
      const passing = guard.admit(request, reply, terms);
      const answered = passing ? passing.then(() => call(request, reply)) : call(request, reply);
      answered.then((answer) => void reply.code(status).send(answer)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

/**
 * Returns the status of the answers of an endpoint.
 *
 * @throws Error when a decoration of it needs Nest's router
 */
function statusOf(controller: Function, endpoint: Method): number {
  const unserved = ROUTER_ONLY.find((key) =>
    [controller, endpoint].some((at) => Reflect.hasMetadata(key, at)),
  );
  if (unserved !== undefined)
    throw new Error(`@Direct() does not serve ${endpoint.name}, which has ${unserved}`);
  const status = Reflect.getMetadata(HTTP_CODE_METADATA, endpoint) as number | undefined;
  if (status === undefined) throw new Error(`@Direct() does not serve ${endpoint.name} without @HttpCode()`);
  return status;
}

function readerOf({ kind, type, factory, data, pipes }: Parameter, pipe: RequestPipe): Reader {
  if (data !== undefined || pipes.length > 0)
    throw new Error('@Direct() does not serve a parameter that has an argument or pipes of its own');
  if (factory) return (request, reply) => factory(undefined, new ExecutionContextHost([request, reply]));
  const metadata = { metatype: type, data: undefined };
  if (kind === RouteParamtypes.BODY) return ({ body }) => pipe.transform(body, { type: 'body', ...metadata });
  if (kind === RouteParamtypes.QUERY)
    return ({ query }) => pipe.transform(query, { type: 'query', ...metadata });
  throw new Error(`@Direct() serves @Body(), @Query() and parameters of our own, not the kind ${kind}`);
}
