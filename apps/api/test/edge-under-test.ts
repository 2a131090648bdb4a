import { once } from 'node:events';
import { connect } from 'node:net';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpException,
  Module,
  Param,
  Post,
  Query,
  Req,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { expect } from '@jest/globals';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsString, ValidateNested } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../src/errors/api-error.ts';
import { createAdapter } from '../src/http/adapter.ts';
import { Direct, type Surroundings, serveDirectly } from '../src/http/direct-endpoints.ts';
import { installHttpEdge } from '../src/http/http-edge.ts';
import { MaxCodePoints, Optional, ReadInteger } from '../src/http/rules.ts';

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
  @IsIntBetween(1, 200)
  limit?: number;
}

@Controller('v1')
class GreetingController {
  @Post('greetings')
  @Direct()
  @HttpCode(200)
  async greet(@Body() greeting: Greeting): Promise<{ seen: Greeting; error: null }> {
    return { seen: greeting, error: null };
  }

  @Post('pings')
  ping(): { error: null } {
    return { error: null };
  }

  /** Answers once the client has ended its side. */
  @Post('farewells')
  async wait(@Req() { raw }: FastifyRequest): Promise<{ error: null }> {
    if (!raw.socket.readableEnded) await once(raw.socket, 'end');
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
    if (kind === 'value') throw Object.assign(new Error('out of range'), { code: '22008' });
    if (kind === 'nest') throw new HttpException({ secret: 'SELECT 1' }, 403);
    throw new Error('SELECT secret FROM account');
  }
}

@Module({ controllers: [GreetingController] })
class GreetingModule {}

/** A guard without keys. */
export const ADMITS_ALL: Surroundings['guard'] = {
  termsOf: () => ({}) as ReturnType<Surroundings['guard']['termsOf']>,
  admit: () => undefined,
};

/** The HTTP edge in front of a small application. */
export interface EdgeUnderTest extends AsyncDisposable {
  port: number;
  logged: { level: string; fields: object }[];
  /** Sends bytes as they are and returns the first answer. */
  send: (bytes: string | Buffer, options?: SendOptions) => Promise<Answer>;
  /** Returns answers until there are enough, or the server closes the connection. */
  sendAll: (bytes: string | Buffer, options: SendOptions & { answers: number }) => Promise<Answer[]>;
}

/** Starts the edge with short timeouts and a body limit of 16 KB. */
export async function startEdge(): Promise<EdgeUnderTest> {
  const adapter = createAdapter({
    requestTimeoutMs: 1_500,
    headersTimeoutMs: 1_000,
    bodyLimitBytes: 16_384,
    connectionsCheckingIntervalMs: 50,
  });
  const app = await NestFactory.create<NestFastifyApplication>(GreetingModule, adapter, {
    bodyParser: false,
    logger: false,
  });
  const logged: EdgeUnderTest['logged'] = [];
  const edge = installHttpEdge(app, {
    error: (fields) => logged.push({ level: 'error', fields }),
    warn: (fields) => logged.push({ level: 'warn', fields }),
  });
  serveDirectly(app, { ...edge, guard: ADMITS_ALL });
  await app.listen(0, '127.0.0.1');
  const port = Number(new URL(await app.getUrl()).port);
  return {
    port,
    logged,
    send: async (bytes, options) => (await sendAll(port, bytes, { ...options, answers: 1 }))[0]!,
    sendAll: (bytes, options) => sendAll(port, bytes, options),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

export interface SendOptions {
  /** Bytes to repeat until the answer arrives. */
  drip?: string;
  /** Ends our side of the connection right after the bytes. */
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

async function sendAll(
  port: number,
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

/** A request as its bytes; a header given as null is omitted. */
export function request(
  line: string,
  headers: Record<string, string | null> = {},
  body: string | Buffer = '',
): Buffer {
  const all: Record<string, string | null> = { host: 'api.test', ...headers };
  const text = Object.entries(all).map(([name, value]) => (value === null ? '' : `${name}: ${value}\r\n`));
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${text.join('')}\r\n`), Buffer.from(body)]);
}

/** A POST of JSON to the application. */
export function post(body: string | Buffer, headers: Record<string, string | null> = {}): Buffer {
  const length = String(Buffer.byteLength(body));
  return request(
    'POST /v1/greetings',
    { 'content-type': 'application/json', 'content-length': length, ...headers },
    body,
  );
}

/** Checks a failure: its status, its code and its envelope. */
export function expectEnvelope(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(answer.body).toMatchObject({ id: null, data: null, message: answer.body.error.message });
  expect(answer.body.error).toMatchObject({
    docs: `/docs/errors#${code}`,
    requestId: answer.headers['x-request-id'],
  });
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}
