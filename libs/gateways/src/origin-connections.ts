import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { CallerLine } from './caller-line.ts';
import { type Caller, type Connection, actAs } from './connection.ts';
import type { GuardedConnector } from './guarded-connector.ts';
import type { CallOwner } from './webhook-call.ts';

/** Share of an origin's connections that one account may use. The rest stays free for other accounts. */
const ACCOUNT_SHARE = 0.8;

/**
 * Maximum bytes that a connection receives from one request to the next. 16 KB of headers and 16 KB of body need less,
 * even in chunks of one byte. undici reads interim answers, extensions of chunks, and empty lines between answers without
 * any limit.
 */
const MAX_BYTES_PER_REQUEST = 256 * 1024;

const PIECE_BYTES = 1024;

/** The beginning of a 100 Continue, which some servers and proxies send unasked. */
const CONTINUE = Buffer.from('HTTP/1.1 100');
const STATUS_AT = 'HTTP/1.1 '.length;

/**
 * A bounded pool of connections to one origin, which serves waiting callers round-robin by account. undici's own pool
 * has no such order, costs more, and does not expose the connection of a request.
 */
export class OriginConnections {
  private readonly all = new Set<Connection>();
  private readonly free: Connection[] = [];
  private readonly waiting = new CallerLine();
  private readonly maxPerAccount: number;

  /**
   * @param maxAgeMs milliseconds for which a connection gets further calls, so that a name whose addresses change is
   * resolved again
   * @param onEmpty called when the last connection is closed
   */
  constructor(
    private readonly newClient: (connect: GuardedConnector) => Client,
    private readonly connect: GuardedConnector,
    private readonly maxConnections: number,
    private readonly maxAgeMs: number,
    private readonly onEmpty: () => void,
  ) {
    this.maxPerAccount = Math.ceil(maxConnections * ACCOUNT_SHARE);
  }

  /** Starts the caller immediately, or when it is first in line and a connection is free. */
  run(caller: Caller): void {
    if (this.hasRoom() && this.mayStart(caller.owner?.accountId)) this.start(caller);
    else this.waiting.push(caller);
  }

  /** Takes back a connection whose request was answered, and starts the next caller on it. */
  release(connection: Connection): void {
    const isOld = performance.now() >= connection.addedAt + this.maxAgeMs;
    if (!connection.isOpen || isOld) return this.discard(connection);
    this.free.push(connection);
    this.startNext();
  }

  /**
   * Closes a connection that gets no further request, because it is old or its request failed, and dials a new one for
   * the next caller. Both wait for the next event-loop tick: undici reports a failure while it still works on that
   * Client, and throws an uncatchable exception when it then finds a new request on it. The tick also keeps dials that
   * fail immediately from recursing.
   */
  discard(connection: Connection): void {
    setImmediate(() => {
      const wasOpen = this.all.delete(connection);
      this.startNext();
      if (wasOpen) this.hangUp(connection);
    });
  }

  /** Closes every connection. */
  close(): void {
    for (const connection of this.all) this.drop(connection);
  }

  /** Lists the owners of calls in flight and waiting, and of the latest call of each free connection. */
  owners(): (CallOwner | undefined)[] {
    return [...this.all, ...this.waiting.all()].map(({ owner }) => owner);
  }

  private startNext(): void {
    const next = this.hasRoom() ? this.waiting.shift((accountId) => this.mayStart(accountId)) : undefined;
    if (next) this.start(next);
  }

  private start(caller: Caller): void {
    const connection = this.free.pop() ?? this.add();
    connection.owner = caller.owner;
    connection.dial = undefined;
    connection.bytesBefore = connection.socket?.bytesRead ?? 0;
    caller.start(connection);
  }

  private hasRoom(): boolean {
    return this.free.length > 0 || this.all.size < this.maxConnections;
  }

  /** Is true for an account below its share. Nothing is counted until the connections in use reach one share. */
  private mayStart(accountId: string | undefined): boolean {
    if (accountId === undefined || this.all.size - this.free.length < this.maxPerAccount) return true;
    let inUse = 0;
    for (const { owner } of this.all) if (owner?.accountId === accountId) inUse += 1;
    for (const { owner } of this.free) if (owner?.accountId === accountId) inUse -= 1;
    return inUse < this.maxPerAccount;
  }

  private add(): Connection {
    const client = this.newClient((target, callback) => {
      const onDialled: typeof callback = (...result) => {
        if (result[1]) limitBytes(connection, result[1]);
        callback(...result);
      };
      return (connection.dial = actAs(connection, () => this.connect(target, onDialled)));
    });
    const connection: Connection = {
      client,
      addedAt: performance.now(),
      isOpen: false,
      socket: undefined,
      bytesBefore: 0,
      dial: undefined,
      owner: undefined,
      origin: this,
    };
    client.on('connect', () => (connection.isOpen = true));
    client.on('disconnect', () => {
      connection.isOpen = false;
      const at = this.free.indexOf(connection);
      if (at < 0) return;
      this.free.splice(at, 1);
      this.drop(connection);
    });
    this.all.add(connection);
    return connection;
  }

  private drop(connection: Connection): void {
    if (this.all.delete(connection)) this.hangUp(connection);
  }

  private hangUp(connection: Connection): void {
    connection.client.destroy(() => undefined);
    if (this.all.size === 0) this.onEmpty();
  }
}

/**
 * Closes a connection whose peer sends more than any answer has, during a request or between two. undici gets small
 * pieces, because it reads on to the end of a piece after it has refused a header, with an exception for each further
 * one.
 */
function limitBytes(connection: Connection, socket: Socket): void {
  Object.assign(connection, { socket, bytesBefore: 0 });
  const read = socket.read.bind(socket);
  socket.read = () => {
    const { bytesRead } = socket; // a getter that costs
    if (bytesRead - connection.bytesBefore > MAX_BYTES_PER_REQUEST)
      socket.destroy(new Error('the peer sends more than an answer'));
    if (socket.destroyed) return null;
    const isFirst = bytesRead - socket.readableLength === connection.bytesBefore;
    const piece = read(Math.min(socket.readableLength, PIECE_BYTES) || undefined) as Buffer | null;
    if (isFirst && piece) hideContinue(piece);
    return piece;
  };
}

/**
 * Rewrites a 100 Continue at the beginning of an answer to a 102, in place. A client must be able to parse an interim
 * answer that it did not ask for, and may ignore it (RFC 9110, 15.2). undici ignores all but the 100, which it takes for a
 * failure. A second 100, or one whose status line comes in parts, still fails.
 */
function hideContinue(piece: Buffer): void {
  const isInterim = piece[STATUS_AT] === CONTINUE[STATUS_AT]; // nearly none, so no other answer is compared
  if (isInterim && piece.subarray(0, CONTINUE.length).equals(CONTINUE)) piece.write('2', CONTINUE.length - 1);
}
