import {
  Body,
  Controller,
  Header,
  HttpCode,
  Post,
  Query,
  Req,
  type Type,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { expect, test } from '@jest/globals';
import { Max } from 'class-validator';
import { ADMITS_ALL } from '../../test/edge-under-test.ts';
import { ApiError } from '../errors/api-error.ts';
import { createAdapter } from './adapter.ts';
import { Direct, type Surroundings, serveDirectly } from './direct-endpoints.ts';
import { installHttpEdge } from './http-edge.ts';
import { Optional, ReadInteger } from './rules.ts';

class Page {
  @Optional()
  @ReadInteger()
  @Max(200)
  limit?: number;
}

@Controller('v1/things')
class Things {
  readonly name = 'things';

  @Post()
  @Direct()
  @HttpCode(202)
  async add(@Body() body: object, @Query() page: Page): Promise<object> {
    return { page, body, by: this.name };
  }

  @Post('routed')
  async route(@Query() page: Page, @Body() body: object): Promise<object> {
    return { page, body, by: this.name };
  }

  @Post('broken')
  @Direct()
  @HttpCode(200)
  async fail(): Promise<never> {
    throw new ApiError('otp_incorrect');
  }
}

const refusal = new ApiError('scope_missing');
const refuse = (): never => {
  throw refusal;
};
const THROWS: Surroundings['guard'] = { ...ADMITS_ALL, admit: refuse };
const REJECTS: Surroundings['guard'] = { ...ADMITS_ALL, admit: () => Promise.reject(refusal) };

/** Starts an application whose router refuses every request: only what is served directly is answered. */
async function start(
  controller: Type,
  guard = ADMITS_ALL,
  edge: Partial<Surroundings> = {},
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    { module: class {}, controllers: [controller] },
    createAdapter(),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  app.useGlobalGuards({ canActivate: refuse });
  const log = { error: () => undefined, warn: () => undefined };
  serveDirectly(app, { ...installHttpEdge(app, log), ...edge, guard });
  await app.listen(0, '127.0.0.1');
  return app;
}

/** Posts JSON, by default `{ a: 1 }`. */
async function call(app: NestFastifyApplication, url: string, body: string | null = '{ "a": 1 }') {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${await app.getUrl()}${url}`, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.json() };
}

test('a direct endpoint gets its arguments and sends its status, without the router', async () => {
  const app = await start(Things);

  const direct = await call(app, '/v1/things?limit=5');

  expect(direct).toEqual({ status: 202, body: { page: { limit: 5 }, body: { a: 1 }, by: 'things' } });
  expect(await call(app, '/v1/things/routed?limit=5')).toMatchObject({
    body: { error: { code: refusal.code } },
  });
  await app.close();
});

test.each([
  ['an argument that breaks its rules', '/v1/things?limit=201', ADMITS_ALL, 'invalid_request'],
  ['a failure of its method', '/v1/things/broken', ADMITS_ALL, 'otp_incorrect'],
  ['a refusal of its guard', '/v1/things', THROWS, 'scope_missing'],
  ['a refusal that its guard had to wait for', '/v1/things', REJECTS, 'scope_missing'],
])('a direct endpoint answers %s with the error body', async (_name, url, guard, code) => {
  const app = await start(Things, guard);

  const answer = await call(app, url);

  expect(answer.body).toMatchObject({ id: null, data: null, error: { code } });
  await app.close();
});

/** A controller with a direct endpoint that takes `parameter` and has `decorations`. */
function controllerWith(
  decorations: MethodDecorator[],
  parameter: ParameterDecorator = Body(),
  at = '',
): Type {
  @Controller(at)
  class Decorated {
    @Post()
    @Direct()
    async add(...values: unknown[]): Promise<object> {
      return { values };
    }
  }
  const method = Object.getOwnPropertyDescriptor(Decorated.prototype, 'add')!;
  for (const decorate of decorations) decorate(Decorated.prototype, 'add', method);
  parameter(Decorated.prototype, 'add', 0);
  return Decorated;
}

const CODE = HttpCode(200);

test.each([
  ['guards', controllerWith([CODE, UseGuards({ canActivate: () => true })])],
  ['interceptors', controllerWith([CODE, UseInterceptors({ intercept: (_, next) => next.handle() })])],
  ['headers', controllerWith([CODE, Header('x', 'y')])],
  ['without @HttpCode()', controllerWith([])],
  ['a parameter that has an argument', controllerWith([CODE], Body('a'))],
  ['not the kind', controllerWith([CODE], Req())],
])('an endpoint with something that needs the router cannot be direct: %s', async (message, controller) => {
  await expect(start(controller)).rejects.toThrow(message);
});

test('a controller whose guards need the router has no direct endpoint', async () => {
  const controller = controllerWith([CODE]);
  UseGuards({ canActivate: () => true })(controller);

  await expect(start(controller)).rejects.toThrow('guards');
});

test('a direct endpoint whose route is not found is a failure of the start', async () => {
  const controller = controllerWith([CODE]);
  Controller(['v1/a', 'v1/b'])(controller);

  await expect(start(controller)).rejects.toThrow('no route POST');
});

test('a query is judged before a body, as by the router', async () => {
  const app = await start(Things);

  const answer = await call(app, '/v1/things?limit=201', null);

  expect(answer.body).toMatchObject({ error: { details: [{ field: 'limit' }] } });
  await app.close();
});

test('a connection is closed when neither an answer nor its failure can be sent', async () => {
  const filter = { answer: refuse } as unknown as Surroundings['filter'];
  const app = await start(Things, ADMITS_ALL, { filter });

  await expect(call(app, '/v1/things/broken')).rejects.toThrow();

  expect((await call(app, '/v1/things')).status).toBe(202);
  await app.close();
});
