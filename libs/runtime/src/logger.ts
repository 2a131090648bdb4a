import { isNativeError } from 'node:util/types';
import { type LoggerService } from '@nestjs/common';
import pino from 'pino';
import { findAdvice } from './error-advice.ts';

type LogEvent = (fields: object, event: string) => void;

/** Writes events. The token by which providers inject the logger of their process; every pino logger is one. */
export abstract class Logger {
  abstract debug: LogEvent;
  abstract info: LogEvent;
  abstract warn: LogEvent;
  abstract error: LogEvent;
  /**
   * Writes an event of the level info that every request or push has. Its line may wait in memory for 0.2 s, and is not
   * searched for secrets: only for fixed fields that never hold one.
   */
  abstract routine: LogEvent;

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
 * Creates the logger of a process, which writes one JSON line per event to stdout: `{ level, time, app, event, …,
 * message }`. Log viewers show `message`: the event, and the message of its error. Errors are reduced to name, message,
 * code, path and stack: a driver's error also carries its statement's parameters.
 */
export function createLogger(app: string, level: string, destination?: pino.DestinationStream): Logger {
  const options = {
    level,
    base: { app },
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: describeError },
    hooks: { logMethod: writeEvent },
  };
  const redact = { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' };
  const logger = pino({ ...options, redact }, destination ?? pino.destination(1));
  const routine = pino(options, destination ?? { write: (line) => bufferedOutput().write(line) });
  return Object.assign(logger, { routine: (fields: object, event: string) => routine.info(fields, event) });
}

/** Bytes of lines that are written together. */
const BUFFER_BYTES = 4_096;

/** Milliseconds after which buffered lines are written, even if the buffer is not full. */
const FLUSH_EVERY_MS = 200;

let buffered: ReturnType<typeof pino.destination> | undefined;

/** Opens stdout for lines that are written together. What the buffer holds is written when the process exits. */
function bufferedOutput(): ReturnType<typeof pino.destination> {
  if (buffered) return buffered;
  const output = pino.destination({ dest: 1, minLength: BUFFER_BYTES, sync: true });
  setInterval(() => output.flush(), FLUSH_EVERY_MS).unref();
  process.on('exit', () => output.flushSync());
  buffered = output;
  return output;
}

function writeEvent(this: pino.Logger, [fields, event]: unknown[], write: pino.LogFn): void {
  write.call(this, { event, ...(fields as object) }, messageOf(fields as LoggedFields, String(event)));
}

interface LoggedFields {
  error?: unknown;
  detail?: unknown;
}

function messageOf({ error, detail }: LoggedFields, event: string): string {
  const reason = isNativeError(error) ? error.message : detail;
  return typeof reason === 'string' && reason !== '' ? `${event}: ${reason}` : event;
}

function describeError(error: unknown): unknown {
  if (!isNativeError(error)) return String(error);
  const { code, path } = error as { code?: unknown; path?: unknown };
  const advice = findAdvice({ code, message: error.message });
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(typeof path === 'string' && { path }),
    ...(advice !== undefined && { advice }),
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
