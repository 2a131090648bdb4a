import { Body, Controller, HttpCode, Param, Post, Query, type Type, UseInterceptors } from '@nestjs/common';
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
  async add(@Query() page: Page, @Body() body: object): Promise<object> {
    return { page, body, by: this.name };
  }

  @Post('routed')
  async route(@Query() page: Page, @Body() body: object): Promise<object> {
    return { page, body, by: this.name };
  }

  @Post('broken')
  @Direct()
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
async function start(controller: Type, guard = ADMITS_ALL): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    { module: class {}, controllers: [controller] },
    createAdapter(),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  app.useGlobalGuards({ canActivate: refuse });
  const log = { error: () => undefined, warn: () => undefined };
  serveDirectly(app, { ...installHttpEdge(app, log), guard });
  await app.init();
  return app;
}

const call = (app: NestFastifyApplication, url: string) =>
  app.inject({ method: 'POST', url, payload: { a: 1 }, headers: { 'content-type': 'application/json' } });

test('a direct endpoint gets its arguments and sends its status, without the router', async () => {
  const app = await start(Things);

  const direct = await call(app, '/v1/things?limit=5');

  expect(direct.statusCode).toBe(202);
  expect(direct.json()).toEqual({ page: { limit: 5 }, body: { a: 1 }, by: 'things' });
  expect((await call(app, '/v1/things/routed?limit=5')).json()).toMatchObject({
    error: { code: refusal.code },
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

  expect(answer.json()).toMatchObject({ id: null, data: null, error: { code } });
  await app.close();
});

test('an endpoint that needs the router cannot be direct', async () => {
  @Controller()
  class WithInterceptor {
    @Post()
    @Direct()
    @UseInterceptors({ intercept: (_, next) => next.handle() })
    async add(): Promise<object> {
      return {};
    }
  }
  @Controller()
  class WithParam {
    @Post(':id')
    @Direct()
    async add(@Param('id') id: string): Promise<object> {
      return { id };
    }
  }

  await expect(start(WithInterceptor)).rejects.toThrow('interceptors');
  await expect(start(WithParam)).rejects.toThrow('@Direct() allows');
});
