import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { isUnstorableValue } from '@signalbox/database/core/refused-value';
import type { FastifyReply } from 'fastify';
import { ApiError } from './api-error.ts';
import { errorBody, retryAfterSeconds } from './error-body.ts';
import { ERRORS } from './error-codes.ts';
import { toApiError } from './to-api-error.ts';

/** Log of failures; every Logger is one. */
export interface ErrorLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Answers every failure, including those of the framework, with the one error body. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: ErrorLog) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    this.answer(thrown, host.switchToHttp().getResponse<FastifyReply>());
  }

  /** Answers a request with what was thrown on its way. */
  answer(thrown: unknown, reply: FastifyReply): void {
    const error = withLimit(toApiError(thrown), reply);
    this.report(error, reply.request.id);
    if (!reply.sent) answerWithError(reply, error);
  }

  /** Logs bugs and outages. Faults of callers are part of `http.answered` only. */
  private report(error: ApiError, requestId: string): void {
    if (error.code === 'internal_error' || isUnstorableValue(error.cause))
      this.log.error({ requestId, error: error.cause ?? error }, 'http.failed');
    if (error.code === 'unavailable')
      this.log.warn({ requestId, error: error.cause ?? error }, 'http.unavailable');
  }
}

/** Names the limit that a body exceeded. */
function withLimit(error: ApiError, { request }: FastifyReply): ApiError {
  if (error.code !== 'payload_too_large') return error;
  const message = `The body may have at most ${request.routeOptions.bodyLimit / 1024} KiB here.`;
  return new ApiError(error.code, message, { cause: error });
}

/** Answers a request with a failure. The connection stays usable once the body has arrived. */
export function answerWithError(reply: FastifyReply, error: ApiError): void {
  const seconds = retryAfterSeconds(error);
  if (seconds !== undefined) reply.header('retry-after', String(seconds));
  const { status } = ERRORS[error.code];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  reply.removeHeader('connection');
  reply.code(status).type('application/json; charset=utf-8').send(errorBody(error, reply.request.id));
}
