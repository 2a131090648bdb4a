import { type LoggerService } from '@nestjs/common';
import pino from 'pino';

export type Logger = pino.Logger;

/** What may never reach a log, wherever it stands in an event. */
const SECRET_FIELDS = [
  'otp',
  'apikey',
  'secret',
  'authorization',
  'text',
  'custom',
  'params',
  'parameters',
  'query',
];

/**
 * The process's logger: one JSON line per event on stdout, `{ level, time, app, event, … }`.
 * Errors are logged by message and stack only: a driver's error also carries its statement's parameters.
 */
export function createLogger(
  app: string,
  level: string,
  destination: pino.DestinationStream = pino.destination(1),
): Logger {
  const options = {
    level,
    base: { app },
    messageKey: 'event',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    serializers: { error: describeError },
  };
  return pino(options, destination);
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...cause(error),
  };
}

function cause(error: Error): object {
  return error.cause === undefined ? {} : { cause: describeError(error.cause) };
}

/** Nest's own lines, in our format; its start-up chatter is dropped. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => undefined,
    verbose: () => undefined,
    debug: () => undefined,
    warn: (message: unknown) => logger.warn({ detail: String(message) }, 'nest.warning'),
    error: (message: unknown, stack?: unknown) =>
      logger.error({ detail: String(message), stack }, 'nest.error'),
    fatal: (message: unknown) => logger.error({ detail: String(message) }, 'nest.fatal'),
  };
}
