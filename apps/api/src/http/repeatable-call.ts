import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, type CallerRequest, callerOf } from '../auth/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { countHeaders } from './count-headers.ts';

const KEY_HEADER = 'idempotency-key';

/** A call that a client may repeat with the same `Idempotency-Key`. */
export interface RepeatableCall {
  caller: Caller;
  accountId: string;
  /** Path of the request without its query; a key applies to one path. */
  path: string;
  idempotencyKey: string | undefined;
  reply: FastifyReply;
}

/** A repeatable call with its validated body. */
export interface CreatingCall<R extends object = object> extends Omit<RepeatableCall, 'caller'> {
  request: R;
  /** Its caller, whose audit row is written with what is created. */
  caller?: Pick<Caller, 'audit'>;
}

/** Injects the current call into a parameter of a controller method. */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext): RepeatableCall => {
  const http = context.switchToHttp();
  const request = http.getRequest<CallerRequest>();
  const caller = callerOf(request);
  return {
    caller,
    accountId: caller.accountId,
    path: pathOf(request),
    idempotencyKey: keyOf(request),
    reply: http.getResponse<FastifyReply>(),
  };
});

/** @throws ApiError idempotency_key_invalid when the request has several such headers */
function keyOf({ headers, raw }: CallerRequest): string | undefined {
  const key = headers[KEY_HEADER];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || countHeaders(raw, KEY_HEADER) > 1)
    throw new ApiError('idempotency_key_invalid');
  return key;
}

/** The route with its parameters filled in, so that one resource has one path however a client encodes it. */
function pathOf({ routeOptions: { url = '' }, params }: CallerRequest): string {
  if (!url.includes(':')) return url;
  const values = params as Record<string, string>;
  return url.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '');
}
