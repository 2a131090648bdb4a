import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { PING_ANSWER_MS, PING_EVERY_MS } from '@signalbox/domain/limits';
import pg from 'pg';
import { arrayLiteral } from './array-literal.ts';
import { setParsers } from './column-parsers.ts';
import type { Hosts } from './hosts.ts';
import type { PingLine, SilenceWatch } from './silence-watch.ts';

/** Message of the error of a statement without an answer within `query_timeout`; pg's own words. */
const NO_ANSWER = 'Query read timeout';

/** The SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

const names = new Map<string, string>();

/** Settings of a connection. */
interface Settings extends pg.ClientConfig {
  /** The hosts to choose from, instead of `connectionString`. */
  hosts?: Hosts;
  /** Breaks the connection when Postgres is silent. */
  silenceWatch?: SilenceWatch | undefined;
}

type Connected = ((error: Error) => void) & ((error: null, client: pg.Client) => void);

/** Text, parameters and time limit of a statement. */
interface Statement {
  text: string;
  name?: string;
  values?: unknown;
  query_timeout?: number | undefined;
}

type Answered = (error: Error | null, result: unknown) => void;

/** A parameter that the server reports, at the start of a session and when it changes. */
interface Reported {
  parameterName: string;
  parameterValue: string;
}

/**
 * A pg client that prepares each statement once per connection. The statements of this library are constant texts, and
 * planning one for every batch costs more than many of them take to run. A connection that refuses writes is closed,
 * since a former primary may keep it open for ever: its pool opens another. So is one that leaves a statement without
 * an answer: the server hangs, and everything on the connection would wait again. With several hosts, one that cannot
 * be reached, hangs or refuses writes is given up: no connection to it is used again, since a former primary that wakes
 * up would still answer. A connection without a watch is pinged while it is idle.
 */
export class StatementClient extends pg.Client implements PingLine {
  /** True while the server says that it is a standby. */
  private isStandby = false;
  private readonly leave: () => void;
  private readonly hasLeft: () => boolean;
  private readonly noteBreak: () => void;
  private readonly silenceWatch: SilenceWatch | undefined;
  /** Milliseconds within which a statement must be answered; undefined for no limit. */
  private readonly limitMs: number | undefined;

  constructor({ hosts, silenceWatch, ...config }: Settings) {
    const url = hosts?.current;
    super({ ...config, ...(url !== undefined && { connectionString: url }) });
    setParsers(this);
    // A break is reported by the next statement. Between two of them, or while a pool hands the connection over, nobody
    // listens: Node would end the process.
    this.on('error', () => undefined);
    this.silenceWatch = silenceWatch;
    const { connectionParameters } = this as unknown as { connectionParameters: { query_timeout: unknown } };
    this.limitMs = Number(connectionParameters.query_timeout) || undefined; // of the URL, or of `config`
    connectionParameters.query_timeout = false;
    this.leave = () => hosts?.leave(url ?? '');
    this.hasLeft = () => hosts?.current !== url;
    this.noteBreak = () => hosts?.noteBreak();
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.abandon();
    });
    connection.on('error', this.leave);
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Reported) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on';
    });
  }

  /** Refuses a new connection to a standby, before a pool hands it out. */
  static verify(client: StatementClient, done: (error?: Error) => void): void {
    try {
      client.requirePrimary();
    } catch (error) {
      return done(error as Error);
    }
    done();
  }

  /** Leaves the host of a standby. @throws when the server is one */
  requirePrimary(): void {
    if (!this.isStandby) return;
    this.leave();
    throw Object.assign(new Error('the server is a standby'), { code: READ_ONLY });
  }

  get bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  breakOff(reason?: Error): void {
    this.connection.stream.destroy(reason);
  }

  get isWaiting(): boolean {
    return (this as unknown as { readyForQuery?: boolean }).readyForQuery === false;
  }

  ping(): Promise<unknown> {
    return this.query('SELECT 1') as Promise<unknown>;
  }

  begin(): Promise<unknown> {
    return this.query('BEGIN') as Promise<unknown>;
  }

  commit(timeoutMs: number): Promise<unknown> {
    const text = `SELECT pg_logical_emit_message(true, 'signalbox', ''); COMMIT`;
    return this.query({ text, query_timeout: timeoutMs }) as Promise<unknown>;
  }

  override connect(): Promise<pg.Client>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.Client> | void {
    if (!connected) return super.connect();
    const watch = this.silenceWatch;
    if (watch?.refusal) return process.nextTick(connected, watch.refusal);
    watch?.add(this);
    const asking = watch ? undefined : setInterval(() => this.askWhileIdle(), PING_EVERY_MS).unref();
    this.connection.once('end', () => {
      watch?.remove(this);
      clearInterval(asking);
      const { _ending: isEnded } = this as unknown as { _ending: boolean };
      if (!isEnded) this.noteBreak();
    });
    super.connect(connected);
  }

  // @ts-expect-error pg's overloads cannot be stated on an override; a callback or a query object passes through.
  override query(text: unknown, values?: unknown, callback?: unknown): unknown {
    if (this.hasLeft()) this.close();
    const forward = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (!isPlain(text) || typeof values === 'function' || callback !== undefined)
      return forward(limited(text, this.limitMs), values, callback);
    return this.answerOf(statementOf(text, values), forward);
  }

  /** Pings the connection unless it is in use, because its other end may vanish without closing it. */
  private askWhileIdle(): void {
    if (this.isWaiting || this.getTransactionStatus() !== 'I') return;
    const ping = { text: 'SELECT 1', query_timeout: PING_ANSWER_MS };
    super.query(ping).catch((error: Error) => this.breakOff(error.message === NO_ANSWER ? error : undefined));
  }

  /**
   * Sends a statement, and abandons the connection when there is no answer within the limit. pg's own `query_timeout` is
   * not used, because pg assigns an arrow function to a property for each statement. V8 allocates such functions in the
   * old generation: until the next full garbage collection each keeps the parameters and rows of its statement, so the
   * rows are promoted with it.
   */
  private answerOf(
    { query_timeout, ...statement }: Statement,
    send: (statement: object, answered: Answered) => void,
  ): Promise<unknown> {
    const limitMs = query_timeout || this.limitMs;
    const answer = new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(new Error(NO_ANSWER));
        this.abandon();
      };
      const timer = limitMs ? setTimeout(giveUp, limitMs) : undefined;
      send(statement, (error, result) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      });
    });
    return answer.catch((error: Error) => {
      Error.captureStackTrace(error); // as pg does: a stack that leads to the caller, not to the socket
      throw error;
    });
  }

  /** Closes the connection before its pool takes it back, and leaves its host. */
  private abandon(): void {
    this.noteBreak();
    this.leave();
    this.close();
  }

  /** Closes the connection without an answer of the server, which may hang. A statement on it fails. */
  private close(): void {
    void this.end().catch(() => undefined);
    this.connection.stream.destroy();
  }
}

/** True for a text, or an object with one, but not for a query object or one with a callback. */
function isPlain(text: unknown): text is string | Statement {
  if (typeof text !== 'object' || text === null) return typeof text === 'string';
  return !('submit' in text) && !('callback' in text);
}

/** The statement with a limit that pg keeps; a query object, such as a cursor, has none. */
function limited(text: unknown, limitMs: number | undefined): unknown {
  if (typeof text === 'string') return { text, query_timeout: limitMs };
  if (typeof text !== 'object' || text === null || 'submit' in text) return text;
  return { query_timeout: limitMs, ...text };
}

function statementOf(text: string | Statement, values: unknown): Statement {
  if (typeof text !== 'string') return values === undefined ? text : { ...text, values };
  if (!Array.isArray(values) || values.length === 0) return { text, values };
  return { name: statementName(text), text, values: values.map(written) };
}

/** Writes a list of texts, such as ids, for the driver, which would quote each. */
function written(value: unknown): unknown {
  return Array.isArray(value) && value.every((element) => typeof element === 'string')
    ? arrayLiteral(value)
    : value;
}

function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return name;
}
