import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty } from '@nestjs/swagger';
import { expect, test } from '@jest/globals';
import { IsString } from 'class-validator';
import { ERRORS } from '../errors/error-codes.ts';
import { createAdapter } from '../http/adapter.ts';
import { installHttpEdge } from '../http/http-edge.ts';
import { installDocs } from './docs.ts';

class Greeting {
  @ApiProperty()
  @IsString()
  text!: string;
}

@Controller('v1/greetings')
class GreetingController {
  @Post()
  greet(@Body() greeting: Greeting): Greeting {
    return greeting;
  }
}

@Module({ controllers: [GreetingController] })
class GreetingModule {}

interface Page {
  status: number;
  text: string;
  type: string | null;
  policy: string | null;
}

interface DocsUnderTest extends AsyncDisposable {
  get(path: string): Promise<Page>;
  /** Sends a path as it is; `fetch` would normalize it. */
  getRaw(path: string): Promise<{ status: number | undefined; error: unknown }>;
}

async function setup(): Promise<DocsUnderTest> {
  const app = await NestFactory.create<NestFastifyApplication>(GreetingModule, createAdapter(), {
    bodyParser: false,
    logger: false,
  });
  installHttpEdge(app, { error: () => undefined, warn: () => undefined });
  installDocs(app, 'https://sms.example.com');
  await app.listen(0, '127.0.0.1');
  const base = await app.getUrl();
  return {
    async get(path) {
      const response = await fetch(`${base}${path}`);
      const { headers } = response;
      return {
        status: response.status,
        text: await response.text(),
        type: headers.get('content-type'),
        policy: headers.get('content-security-policy'),
      };
    },
    async getRaw(path) {
      const { port } = new URL(base);
      const [response] = (await once(request({ port, path }).end(), 'response')) as [IncomingMessage];
      const { error } = JSON.parse(await text(response)) as { error: unknown };
      return { status: response.statusCode, error };
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

test('/docs/errors has an anchor for every code and loads nothing', async () => {
  await using t = await setup();

  const page = await t.get('/docs/errors');

  expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
  for (const code of Object.keys(ERRORS)) expect(page.text).toContain(`<section id="${code}">`);
  expect(page.text).not.toMatch(/<script|<link|<img|https?:/);
  expect(page.policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
});

test('/docs/openapi.json shows the endpoints, the key, and the envelope of failures', async () => {
  await using t = await setup();

  const document = JSON.parse((await t.get('/docs/openapi.json')).text) as Record<string, never>;

  expect(document).toMatchObject({
    security: [{ apikey: [] }],
    components: {
      securitySchemes: { apikey: { type: 'apiKey', in: 'header', name: 'apikey' } },
      schemas: { Greeting: { properties: { text: { type: 'string' } } }, Failure: { type: 'object' } },
    },
    paths: {
      '/v1/greetings': {
        post: { responses: { '4XX': { description: expect.stringContaining('A refused request') } } },
      },
    },
  });
});

test('/docs/postman.json is a collection to download', async () => {
  await using t = await setup();

  const page = await t.get('/docs/postman.json');

  expect([page.status, JSON.parse(page.text)]).toMatchObject([
    200,
    {
      info: { name: 'Signalbox API' },
      variable: [{ key: 'baseUrl', value: 'https://sms.example.com' }, { key: 'apiKey' }],
    },
  ]);
});

test('/docs is served from local files only', async () => {
  await using t = await setup();

  const page = await t.get('/docs');
  const sources = Array.from(page.text.matchAll(/(?:src|href)="([^"]+)"/g), (match) => match[1]!);

  expect(page.policy).toContain("default-src 'self'");
  expect(sources.length).toBeGreaterThan(3);
  for (const source of sources)
    expect((await t.get(`/docs/${source}`.replace('/docs/./docs/', '/docs/'))).status).toBe(200);
  expect((await t.get('/docs/swagger-ui-init.js')).text).toContain('"validatorUrl": null');
});

test('an unknown path under /docs is answered as anywhere else', async () => {
  await using t = await setup();

  expect(JSON.parse((await t.get('/docs/nothing.js')).text)).toMatchObject({
    error: { code: 'route_not_found' },
  });
});

test.each(['/docs/../package.json', '/docs//package.json', '/docs/..%2fpackage.json'])(
  'a path outside the files of /docs is not found: %s',
  async (path) => {
    await using t = await setup();

    expect(await t.getRaw(path)).toMatchObject({ status: 404, error: { code: 'route_not_found' } });
  },
);
