import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'undici';
import { CallerLine } from './caller-line.ts';
import type { Dial, GuardedConnector } from './guarded-connector.ts';

/** Whose call it is. */
export interface CallOwner {
  accountId: string;
  webhookId: string;
}

/** One connection, with one request at a time. It is dialled when its first request needs it. */
export interface Connection {
  client: Client;
  isOpen: boolean;
  /** The dial that was made for the request under way; undefined when the connection was there. */
  dial: Dial | undefined;
  /** The owner of its latest request. */
  owner: CallOwner | undefined;
  origin: OriginConnections;
}

/** Who wants a connection. */
export interface Caller {
  owner: CallOwner | undefined;
  /** Whether it does no longer. */
  isOver: () => boolean;
  /** Takes a connection, which is its own until it gives it back by `release` or `discard`. */
  start: (connection: Connection) => void;
}

/** Part of the connections to an origin that one account may use. The rest stays free for other accounts. */
const ACCOUNT_SHARE = 0.8;

/**
 * The connections to one origin: a bounded number, and callers that wait for one, account by account. undici's own pool has no such
 * order, costs more, and does not tell which connection a request went by.
 */
export class OriginConnections {
  private readonly all = new Set<Connection>();
  private readonly free: Connection[] = [];
  private readonly waiting = new CallerLine();
  private readonly maxPerAccount: number;

  /** @param onEmpty called when the last connection is gone */
  constructor(
    private readonly newClient: (connect: GuardedConnector) => Client,
    private readonly connect: GuardedConnector,
    private readonly maxConnections: number,
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
    if (!connection.isOpen) return this.discard(connection);
    this.free.push(connection);
    this.startNext();
  }

  /**
   * Closes a connection whose request failed, and dials a new one for the next caller. undici reports a failure from the middle of its
   * own work on that Client, and throws an exception that nobody can catch when it finds a new request there afterwards. So both wait
   * for the next iteration of the event loop, which also keeps dials that fail immediately from recursing.
   */
  discard(connection: Connection): void {
    setImmediate(() => {
      const wasOpen = this.all.delete(connection);
      this.startNext();
      if (wasOpen) this.hangUp(connection);
    });
  }

  /** Hangs up on all. */
  close(): void {
    for (const connection of this.all) this.drop(connection);
  }

  /** Owners of the calls that are under way or wait, and of the latest call of each connection that is free. */
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
    caller.start(connection);
  }

  private hasRoom(): boolean {
    return this.free.length > 0 || this.all.size < this.maxConnections;
  }

  /** True for an account below its share. Counts only when most connections are in use. */
  private mayStart(accountId: string | undefined): boolean {
    if (accountId === undefined || this.all.size - this.free.length < this.maxPerAccount) return true;
    let inUse = 0;
    for (const { owner } of this.all) if (owner?.accountId === accountId) inUse += 1;
    for (const { owner } of this.free) if (owner?.accountId === accountId) inUse -= 1;
    return inUse < this.maxPerAccount;
  }

  private add(): Connection {
    const client = this.newClient(
      (target, callback) => (connection.dial = actAs(connection, () => this.connect(target, callback))),
    );
    const connection: Connection = { client, isOpen: false, dial: undefined, owner: undefined, origin: this };
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

/** The connection that the code under way works for. A socket keeps it from its dial, so that a call costs nothing more. */
const atWork = new AsyncLocalStorage<Connection>();

/** Does work for a connection: an exception in it, or in what it starts, leads to that connection's `findSuspects`. */
export function actAs<R>(connection: Connection, act: () => R): R {
  return atWork.run(connection, act);
}

/** Owner of the call that the code under way works for; undefined outside of `actAs`. */
export function ownerAtWork(): CallOwner | undefined {
  return atWork.getStore()?.owner;
}

/**
 * Owners of the calls that an exception may come from, each once: first of the latest call of the connection that threw it, then of
 * all other calls to that origin, because each of them would meet the same peer. For a listener to `uncaughtException`, which Node runs in
 * the async context of what threw.
 *
 * @returns none for an exception that no connection threw
 */
export function findSuspects(): CallOwner[] {
  const connection = atWork.getStore();
  if (!connection) return [];
  const owners = [connection.owner, ...connection.origin.owners()].filter((owner) => owner !== undefined);
  return [...new Map(owners.map((owner) => [owner.webhookId, owner])).values()];
}
