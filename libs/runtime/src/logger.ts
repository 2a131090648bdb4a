import { type LoggerService } from '@nestjs/common';
import pino from 'pino';

type LogEvent = (fields: object, event: string) => void;

/** Writes events. The token by which providers inject the logger of their process; every pino logger is one. */
export abstract class Logger {
  abstract debug: LogEvent;
  abstract info: LogEvent;
  abstract warn: LogEvent;
  abstract error: LogEvent;

  /** False for events that would be dropped, so that their fields need not be composed. */
  abstract isLevelEnabled(level: string): boolean;
}

/** Fields that never reach a log, at the top of an event or one level below. */
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
 * Creates the logger of a process, which writes one JSON line per event to stdout: `{ level, time, app, event, … }`.
 * Errors are reduced to name, message, code and stack: a driver's error also carries its statement's parameters.
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

/** Writes Nest's warnings and errors in our format, and drops its start-up lines. */
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
