import { findTlsAdvice } from './tls-failure.ts';

/** Members of an error that identify an outage; each may be absent or of another type. */
interface Symptoms {
  name?: unknown;
  message?: unknown;
  code?: unknown;
  cause?: unknown;
  driverError?: unknown;
  errors?: unknown;
}

/** Socket and name-server errors of Node. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EPROTO',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * SQLSTATEs of a Postgres that refuses the connection: authorization, a wrong password, no such database. A password may
 * be changed while a process runs.
 */
const REFUSALS = new Set(['28000', '28P01', '3D000']);

/**
 * SQLSTATEs of Postgres: admin shutdown, crash shutdown, cannot connect now, statement or lock timeout, the end of an
 * idle transaction, deadlock, serialization failure, a standby that refuses writes. Classes 08 (connection), 53 (out of
 * resources) and 58 (errors of its disk) count as a whole.
 */
const SQL_STATES = new Set(['57P01', '57P02', '57P03', '57014', '55P03', '25P03', '40P01', '40001', '25006']);
const SQL_CLASSES = new Set(['08', '53', '58']);

/**
 * Our own refusals under load and during shutdown, our deadlines, the end of ioredis' retries, and TypeORM's errors for a
 * transaction whose connection broke between two statements.
 */
const NAMES = new Set([
  'OverloadedError',
  'ClosedError',
  'UnansweredError',
  'MaxRetriesPerRequestError',
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
]);

/** Prefixes of the messages of pg, pg-pool, ioredis and Redis errors that carry no code. */
const MESSAGES = [
  'Connection terminated',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end',
  'Connection is closed.',
  "Stream isn't writeable and enableOfflineQueue",
  "Cluster isn't ready and enableOfflineQueue",
  'Cluster is ended.',
  'Command timed out',
  'Socket timeout.',
  'All sentinels are unreachable',
  'Failed to refresh slots cache.',
  'None of startup nodes is available',
  'Too many Cluster redirections.',
  'CLUSTERDOWN ',
  'LOADING ',
  'MASTERDOWN ',
  'MISCONF ',
  'NOAUTH ',
  'NOPERM ',
  'NOREPLICAS ',
  'OOM ',
  'READONLY ',
  'TRYAGAIN ',
  'UNBLOCKED ',
  'WRONGPASS ',
];

/** End of the message of Postgres for a disk that the kernel made read-only. Its code is that of a missing privilege. */
const READ_ONLY_DISK = ': Read-only file system';

/** Maximum depth of wrapping: pg, TypeORM, a cause of ours. */
const MAX_WRAPPING = 5;

/** True for an error of Postgres that refuses the connection, which a person ends. */
export function isRefusal({ code }: { code?: unknown }): boolean {
  return REFUSALS.has(String(code));
}

/** True if an error, or one that it wraps, means that a store is unreachable or overloaded; a retry may succeed. */
export function isOutage(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_WRAPPING) return false;
  const symptoms = error as Symptoms;
  if (hasSymptom(symptoms)) return true;
  const first: unknown = Array.isArray(symptoms.errors) ? symptoms.errors[0] : undefined;
  return [symptoms.driverError, symptoms.cause, first].some((wrapped) => isOutage(wrapped, depth + 1));
}

function hasSymptom({ name, message, code }: Symptoms): boolean {
  if (findTlsAdvice({ code, message }) !== undefined) return true;
  if (typeof name === 'string' && NAMES.has(name)) return true;
  if (typeof code === 'string' && isOutageCode(code)) return true;
  if (typeof message !== 'string') return false;
  return message.endsWith(READ_ONLY_DISK) || MESSAGES.some((beginning) => message.startsWith(beginning));
}

function isOutageCode(code: string): boolean {
  return (
    NETWORK_CODES.has(code) ||
    SQL_STATES.has(code) ||
    REFUSALS.has(code) ||
    (code.length === 5 && SQL_CLASSES.has(code.slice(0, 2)))
  );
}
