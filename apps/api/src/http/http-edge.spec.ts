import { connect } from 'node:net';
import { Body, Controller, Get, HttpCode, HttpException, Module, Param, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsString, Max, ValidateNested } from 'class-validator';
import { ApiError } from '../errors/api-error.ts';
import { createAdapter } from './adapter.ts';
import { installHttpEdge } from './http-edge.ts';
import { MaxCodePoints, Optional, ReadInteger } from './rules.ts';

class Link {
  @IsString()
  url!: string;
}

class Greeting {
  @IsString()
  @MaxCodePoints(10)
  text!: string;

  @Optional()
  @IsIn(['TRANS', 'OTP'])
  type?: string;

  @Optional()
  @ArrayMaxSize(2)
  @Type(() => Link)
  @ValidateNested({ each: true })
  links?: Link[];
}

class Page {
  @Optional()
  @ReadInteger()
  @Max(200)
  limit?: number;
}

@Controller('v1')
class GreetingController {
  @Post('greetings')
  @HttpCode(200)
  greet(@Body() greeting: Greeting): { seen: Greeting; error: null } {
    return { seen: greeting, error: null };
  }

  @Post('bells')
  ring(): { error: null } {
    return { error: null };
  }

  @Get('greetings')
  list(@Query() page: Page): { page: Page } {
    return { page };
  }

  @Get('greetings/:id')
  get(@Param('id') id: string, @Query('as') as?: string): { id: string; as: string | undefined } {
    return { id, as };
  }

  @Get('failures/:kind')
  fail(@Param('kind') kind: string): never {
    if (kind === 'limit')
      throw new ApiError('otp_incorrect', 'The code is wrong.', { extra: { attemptsRemaining: 3 } });
    if (kind === 'wait') throw new ApiError('rate_limited', 'Slow down.', { retryAfterSeconds: 1.2 });
    if (kind === 'store') throw Object.assign(new Error('connect 10.0.0.9:5432'), { code: 'ECONNREFUSED' });
    if (kind === 'nest') throw new HttpException({ secret: 'SELECT 1' }, 403);
    throw new Error('SELECT secret FROM account');
  }
}

@Module({ controllers: [GreetingController] })
class GreetingModule {}

let app: NestFastifyApplication;
let port: number;
const logged: { level: string; fields: object }[] = [];

beforeAll(async () => {
  const adapter = createAdapter({
    requestTimeoutMs: 1_500,
    headersTimeoutMs: 1_000,
    bodyLimitBytes: 16_384,
    connectionsCheckingIntervalMs: 50,
  });
  app = await NestFactory.create<NestFastifyApplication>(GreetingModule, adapter, {
    bodyParser: false,
    logger: false,
  });
  installHttpEdge(app, {
    error: (fields) => logged.push({ level: 'error', fields }),
    warn: (fields) => logged.push({ level: 'warn', fields }),
  });
  await app.listen(0, '127.0.0.1');
  port = Number(new URL(await app.getUrl()).port);
});

afterAll(() => app.close());

interface SendOptions {
  /** Bytes to send again and again until the answer is there. */
  drip?: string;
  /** Whether to end our side of the connection at once. */
  half?: boolean;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: {
    message: string;
    error: { code: string; message: string; requestId: string; details: { field: string; rule: string }[] };
  };
}

/** Sends bytes as they are and reads the first answer. */
async function send(bytes: string | Buffer, options: SendOptions = {}): Promise<Answer> {
  const [answer] = await sendAll(bytes, { ...options, answers: 1 });
  return answer!;
}

/** Reads answers until there are enough, or the server closes the connection. */
async function sendAll(
  bytes: string | Buffer,
  options: SendOptions & { answers: number },
): Promise<Answer[]> {
  const socket = connect(port, '127.0.0.1');
  const dripping =
    options.drip === undefined
      ? undefined
      : setInterval(() => socket.writable && socket.write(options.drip!), 20);
  socket.on('error', () => undefined);
  socket.write(bytes);
  if (options.half) socket.end();
  let received: Buffer = Buffer.alloc(0);
  try {
    for await (const part of socket) {
      received = Buffer.concat([received, part as Buffer]);
      if (parseAnswers(received).length >= options.answers) break;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error; // one way to close a connection
  } finally {
    clearInterval(dripping);
    socket.destroy();
  }
  return parseAnswers(received);
}

function parseAnswers(received: Buffer): Answer[] {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return [];
  const [statusLine, ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(': ', 1)[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );
  const next = end + 4 + Number(headers['content-length']);
  if (received.length < next) return [];
  const body = JSON.parse(received.toString('utf8', end + 4, next)) as Answer['body'];
  return [
    { status: Number(statusLine!.split(' ')[1]), headers, body },
    ...parseAnswers(received.subarray(next)),
  ];
}

/** A request as its text; a header given as null is left out. */
function request(
  line: string,
  headers: Record<string, string | null> = {},
  body: string | Buffer = '',
): Buffer {
  const all: Record<string, string | null> = { host: 'api.test', ...headers };
  const text = Object.entries(all).map(([name, value]) => (value === null ? '' : `${name}: ${value}\r\n`));
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${text.join('')}\r\n`), Buffer.from(body)]);
}

function post(body: string | Buffer, headers: Record<string, string | null> = {}): Buffer {
  const length = String(Buffer.byteLength(body));
  return request(
    'POST /v1/greetings',
    { 'content-type': 'application/json', 'content-length': length, ...headers },
    body,
  );
}

function expectEnvelope(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(answer.body).toMatchObject({ id: null, data: null, message: answer.body.error.message });
  expect(answer.body.error).toMatchObject({
    docs: `/docs/errors#${code}`,
    requestId: answer.headers['x-request-id'],
  });
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

async function expectGoodRequest(): Promise<void> {
  const answer = await send(post('{"text":"hi"}'));
  expect([answer.status, answer.body]).toEqual([200, { seen: { text: 'hi' }, error: null }]);
}

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const wide = (keys: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1])));
const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`;

const rows: [name: string, bytes: Buffer, status: number, code: string, options?: SendOptions][] = [
  ['TRACE', request('TRACE /v1/greetings'), 405, 'method_not_allowed'],
  ['PUT', request('PUT /v1/greetings', { 'content-length': '2' }, '{}'), 405, 'method_not_allowed'],
  ['DELETE', request('DELETE /v1/greetings/1'), 405, 'method_not_allowed'],
  ['PROPFIND', request('PROPFIND /v1/greetings'), 405, 'method_not_allowed'],
  ['OPTIONS', request('OPTIONS /v1/greetings'), 405, 'method_not_allowed'],
  ['an unknown method', request('FOO /v1/greetings'), 400, 'invalid_request'],
  ['CONNECT', request('CONNECT api.test:443'), 400, 'invalid_request'],
  ['a trailing slash', request('POST /v1/greetings/', { 'content-length': '0' }), 404, 'route_not_found'],
  ['a trailing slash where an id belongs', request('GET /v1/greetings/'), 404, 'route_not_found'],
  ['two slashes', request('GET /v1//greetings'), 404, 'route_not_found'],
  ['another version', request('GET /v2/greetings'), 404, 'route_not_found'],
  ['an encoded ..', request('GET /v1/%2e%2e/admin'), 404, 'route_not_found'],
  ['another case', request('GET /V1/greetings'), 404, 'route_not_found'],
  [
    'an unknown path with a bad body',
    request('POST /v3', { 'content-type': 'application/json', 'content-length': '1' }, '{'),
    404,
    'route_not_found',
  ],
  ['a URL that cannot be decoded', request('GET /%zz'), 400, 'invalid_request'],
  ['no protocol', Buffer.from('hello\r\n\r\n'), 400, 'invalid_request'],
  ['no Host', request('GET /v1/greetings', { host: null }), 400, 'invalid_request'],
  ['an empty Host', request('GET /v1/greetings', { host: '' }), 400, 'invalid_request'],
  ['two Hosts', request('GET /v1/greetings', { Host: 'other.test' }), 400, 'invalid_request'],
  [
    'a Host with an impossible port',
    request('GET /v1/greetings', { host: 'evil:99999' }),
    400,
    'invalid_request',
  ],
  ['a Host with a path', request('GET /v1/greetings', { host: 'evil/x' }), 400, 'invalid_request'],
  [
    '20 KB of headers',
    request('GET /v1/greetings', { apikey: 'k'.repeat(20_000) }),
    431,
    'headers_too_large',
  ],
  [
    'headers that never end',
    Buffer.from('GET /v1/greetings HTTP/1.1\r\nhost: a'),
    408,
    'request_timeout',
    { drip: 'a' },
  ],
  [
    'C014 a body of one byte at a time',
    post('{', { 'content-length': '4000' }),
    408,
    'request_timeout',
    { drip: ' ' },
  ],
  [
    'a body that ends too early',
    post('{"text":', { 'content-length': '20' }),
    400,
    'invalid_request',
    { half: true },
  ],
  [
    'a body longer than its Content-Length',
    post('{"text":"hi"}', { 'content-length': '5' }),
    400,
    'malformed_json',
  ],
  ['a Content-Length that is no number', post('{}', { 'content-length': '-1' }), 400, 'invalid_request'],
  ['two lengths', post('{}', { 'transfer-encoding': 'chunked' }), 400, 'invalid_request'],
  [
    'a bad chunk',
    post('zz\r\n', { 'content-length': null, 'transfer-encoding': 'chunked' }),
    400,
    'invalid_request',
  ],
  [
    'an endless body',
    post(chunk, { 'content-length': null, 'transfer-encoding': 'chunked' }),
    413,
    'payload_too_large',
    { drip: chunk },
  ],
  ['a body over the limit', post(`{"text":"${'x'.repeat(20_000)}"}`), 413, 'payload_too_large'],
  ['no body', post(''), 400, 'malformed_json'],
  ['no body and no type', request('POST /v1/greetings', { 'content-length': '0' }), 400, 'malformed_json'],
  ['a brace', post('{'), 400, 'malformed_json'],
  ['a trailing comma', post('{"a":1,}'), 400, 'malformed_json'],
  ['NaN', post('NaN'), 400, 'malformed_json'],
  ['single quotes', post("{'text':'hi'}"), 400, 'malformed_json'],
  ['null', post('null'), 400, 'invalid_request'],
  ['an array', post('[]'), 400, 'invalid_request'],
  ['a string', post('"str"'), 400, 'invalid_request'],
  ['a number', post('1'), 400, 'invalid_request'],
  ['true', post('true'), 400, 'invalid_request'],
  ['__proto__', post('{"text":"hi","__proto__":{"isAdmin":true}}'), 400, 'invalid_request'],
  ['an escaped __proto__', post('{"text":"hi","a":[{"__pr\\u006fto__":1}]}'), 400, 'invalid_request'],
  ['constructor', post('{"text":"hi","constructor":{"prototype":{}}}'), 400, 'invalid_request'],
  ['a lone surrogate', post('{"text":"\\ud800"}'), 400, 'invalid_request'],
  ['U+0000', post('{"text":"a\\u0000"}'), 400, 'invalid_request'],
  ['U+0000 in a name', post('{"text":"hi","a\\u0000":1}'), 400, 'invalid_request'],
  ['a number beyond a double', post('{"text":"hi","a":1e999}'), 400, 'invalid_request'],
  ['33 levels', post(deep(33)), 400, 'invalid_request'],
  ['1,001 members', post(wide(1_001)), 400, 'invalid_request'],
  ['invalid UTF-8', post(Buffer.from([0x22, 0xc3, 0x28, 0x22])), 400, 'malformed_json'],
  ['gzip', post('{}', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type'],
  [
    'another charset',
    post('{}', { 'content-type': 'application/json; charset=latin1' }),
    415,
    'unsupported_media_type',
  ],
  [
    'XML',
    post('<a/>', { 'content-type': 'application/xml', contentType: 'application/json' }),
    415,
    'unsupported_media_type',
  ],
  [
    'a form',
    post('text=hi', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'unsupported_media_type',
  ],
  ['no type', post('{"text":"hi"}', { 'content-type': null }), 415, 'unsupported_media_type'],
  ['a type that is none', post('{"text":"hi"}', { 'content-type': 'json' }), 415, 'unsupported_media_type'],
  ['a parameter given twice', request('GET /v1/greetings/1?as=a&as=b'), 400, 'invalid_request'],
  ['a query value that is no number', request('GET /v1/greetings?limit=x'), 400, 'invalid_request'],
  ['a query value given twice', request('GET /v1/greetings?limit=1&limit=2'), 400, 'invalid_request'],
  ['U+0000 in a query', request('GET /v1/greetings?limit=%00'), 400, 'invalid_request'],
  ['U+0000 in a path', request('GET /v1/greetings/%00'), 400, 'invalid_request'],
  ['__proto__ in a query', request('GET /v1/greetings?__proto__=1'), 400, 'invalid_request'],
];

test.each(rows)(
  '%s is answered in the envelope, and the next request is served',
  async (_name, bytes, status, code, ...[options]) => {
    expectEnvelope(await send(bytes, options), status, code);
    await expectGoodRequest();
  },
);

test('a forbidden name touches no prototype and is named with its path', async () => {
  const answer = await send(post('{"text":"hi","a":[{"__proto__":{"isAdmin":true}}]}'));

  expect(answer.body.error.details).toEqual([
    { field: 'a[0].__proto__', rule: 'forbidden_field', message: 'is not allowed as a name' },
  ]);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('every broken rule is told at once, each with its path', async () => {
  const answer = await send(post('{"text":5,"type":null,"links":[{"url":"u"},{}]}'));

  expect(answer.body.message).toBe('text must be a string');
  expect(answer.body.error.details).toEqual([
    { field: 'text', rule: 'invalid_type', message: 'must be a string' },
    { field: 'type', rule: 'null_not_allowed', message: 'must not be null' },
    { field: 'links[1].url', rule: 'required', message: 'is required' },
  ]);
});

test('unknown fields are ignored and named in a header that any name survives', async () => {
  const answer = await send(post('{"text":"hi","a\\r\\nX: y":1,"links":[{"url":"u","título,":2}]}'));

  expect(answer.body).toEqual({ seen: { text: 'hi', links: [{ url: 'u' }] }, error: null });
  expect(answer.headers['ignored-fields']).toBe('a%0D%0AX:%20y, links[0].t%C3%ADtulo%2C');
});

test('at most 10 ignored fields are named, in a header of bounded length, and a request without any has no such header', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${'😀'.repeat(100)}${i}`, 1]));

  const answer = await send(post(JSON.stringify({ text: 'hi', ...many })));
  const plain = await send(post('{"text":"hi"}'));

  expect(answer.headers['ignored-fields']!.split(', ')).toHaveLength(10);
  expect(answer.headers['ignored-fields']!.length).toBeLessThan(1_100);
  expect(plain.headers).not.toHaveProperty('ignored-fields');
});

test.each([
  ['its media type in any case', '{"text":"hi"}', { 'content-type': 'Application/JSON; charset=UTF-8' }],
  ['a byte order mark', '\ufeff{"text":"hi"}', {}],
  [
    "curl's type and the spec's contentType header",
    '{"text":"hi"}',
    { 'content-type': 'application/x-www-form-urlencoded', contentType: 'application/json' },
  ],
  [
    "fetch's type and the spec's contentType header",
    '{"text":"hi"}',
    { 'content-type': 'text/plain;charset=UTF-8', contentType: 'application/json' },
  ],
  [
    "just the spec's contentType header",
    '{"text":"hi"}',
    { 'content-type': null, contentType: 'application/json' },
  ],
  ['identity as its encoding', '{"text":"hi"}', { 'content-encoding': 'identity' }],
  ['an expectation nobody knows', '{"text":"hi"}', { expect: 'miracles' }],
])('a JSON body with %s is read', async (_name, body, headers) => {
  expect((await send(post(body, headers))).status).toBe(200);
});

test('an endpoint without a body takes none', async () => {
  expect((await send(request('POST /v1/bells', { 'content-length': '0' }))).status).toBe(201);
  expect(
    (await send(request('POST /v1/bells', { 'content-length': '0', 'content-type': 'application/json' })))
      .status,
  ).toBe(201);
});

test('the body of a GET is not looked at, and HTTP/1.0 may come without a Host', async () => {
  const withBody = await send(
    request('GET /v1/greetings?limit=5', { 'content-type': 'text/x', 'content-length': '1' }, '{'),
  );
  const old = await send('GET /v1/greetings/7 HTTP/1.0\r\n\r\n');

  expect(withBody.body).toEqual({ page: { limit: 5 } });
  expect(old.body).toEqual({ id: '7' });
});

test('an id in a path may be of any length that fits', async () => {
  const id = 'x'.repeat(10_000);

  expect((await send(request(`GET /v1/greetings/${id}`))).body).toEqual({ id });
});

test('405 names the methods that the path answers', async () => {
  expect((await send(request('DELETE /v1/greetings'))).headers['allow']).toBe('GET, HEAD, POST');
  expect((await send(request('POST /v1/greetings/7', { 'content-length': '0' }))).headers['allow']).toBe(
    'GET, HEAD',
  );
});

test('every answer has a request id of its own, and a failed request leaves its connection usable', async () => {
  const tooLarge = post(`{"text":"${'x'.repeat(300_000)}"}`);

  const answers = await sendAll(
    Buffer.concat([post('{'), tooLarge, request('PUT /v1/greetings'), post('{"text":"hi"}')]),
    { answers: 4 },
  );

  expect(answers.map(({ status }) => status)).toEqual([400, 413, 405, 200]);
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/);
});

test('garbage after a request does not take the answer of that request away', async () => {
  const answers = await sendAll(Buffer.concat([post('{"text":"hi"}'), Buffer.from('garbage\r\n\r\n')]), {
    answers: 2,
  });

  expect(answers.map(({ status }) => status)).toEqual([200]);
  expect(answers[0]!.headers['connection']).toBe('close');
});

test('a body that keeps coming after its 413 gets no second answer', async () => {
  const endless = post(chunk, { 'content-length': null, 'transfer-encoding': 'chunked' });

  const answers = await sendAll(endless, { drip: chunk, answers: 2 });

  expect(answers.map(({ status }) => status)).toEqual([413]);
});

test('a failure carries what the caller must know, and Retry-After in whole seconds', async () => {
  const wrong = await send(request('GET /v1/failures/limit'));
  const wait = await send(request('GET /v1/failures/wait'));

  expectEnvelope(wrong, 400, 'otp_incorrect');
  expect(wrong.body.error).toMatchObject({ attemptsRemaining: 3, retryable: false, details: [] });
  expectEnvelope(wait, 429, 'rate_limited');
  expect(wait.headers['retry-after']).toBe('2');
});

test('nothing of the inside is shown: an outage is a 503 to retry, a bug a 500 whose cause is logged', async () => {
  logged.length = 0;

  const outage = await send(request('GET /v1/failures/store'));
  const bug = await send(request('GET /v1/failures/bug'));
  const nest = await send(request('GET /v1/failures/nest'));

  expectEnvelope(outage, 503, 'unavailable');
  expect(outage.headers['retry-after']).toBe('1');
  expectEnvelope(bug, 500, 'internal_error');
  expectEnvelope(nest, 403, 'scope_missing');
  expect(JSON.stringify([outage.body, bug.body, nest.body])).not.toMatch(/SELECT|5432|spec\.ts/);
  expect(logged).toEqual([
    {
      level: 'warn',
      fields: {
        requestId: outage.body.error.requestId,
        error: expect.objectContaining({ code: 'ECONNREFUSED' }),
      },
    },
    {
      level: 'error',
      fields: { requestId: bug.body.error.requestId, error: new Error('SELECT secret FROM account') },
    },
  ]);
});
