import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { Client } from 'undici';
import type { CallOwner, Dial } from './webhook-call.ts';

/** One connection, which carries one request at a time and is dialled for the first. */
export interface Connection {
  client: Client;
  /** When it was made for its first request, as `performance.now()`. */
  addedAt: number;
  isOpen: boolean;
  /** Undefined until it is dialled. */
  socket: Socket | undefined;
  /** Bytes that had been received when its latest request began. */
  bytesBefore: number;
  /** Timings of the dial for the current request; undefined when the connection was already open. */
  dial: Dial | undefined;
  /** The owner of its latest request. */
  owner: CallOwner | undefined;
  origin: { owners: () => (CallOwner | undefined)[] };
}

/** A call that needs a connection. */
export interface Caller {
  owner: CallOwner | undefined;
  /** Is true once the call has ended and needs no connection. */
  hasEnded: () => boolean;
  /** Starts the call on a connection, which it has alone until `release` or `discard`. */
  start: (connection: Connection) => void;
}

/**
 * The connection that the running code works for. A socket inherits it from its dial, so that a call costs nothing
 * more.
 */
const atWork = new AsyncLocalStorage<Pick<Connection, 'owner' | 'origin'> | undefined>();

/**
 * Runs code for a connection, so that `findSuspects` can trace an exception in it, or in what it starts, to that
 * connection.
 */
export function actAs<R>(connection: Connection, act: () => R): R {
  return atWork.run(connection, act);
}

/** Runs code for calls of an owner that shares its connections with nobody: `findSuspects` names it alone. */
export function actFor<R>(owner: CallOwner, act: () => R): R {
  return atWork.run({ owner, origin: { owners: () => [] } }, act);
}

/** Runs code for no connection, whoever calls it. */
export function actAsNone<R>(act: () => R): R {
  return atWork.run(undefined, act);
}

/** Returns the owner of the call that the running code works for; undefined outside of `actAs` and `actFor`. */
export function ownerAtWork(): CallOwner | undefined {
  return atWork.getStore()?.owner;
}

/**
 * Lists the owners of the calls that an exception may come from, each once: first that of the latest call of the
 * connection that threw it, then those of all other calls to that origin, because they reach the same peer. Call it in
 * a listener to `uncaughtException`, which Node runs in the async context of the throwing code.
 *
 * @returns an empty list for an exception that no connection threw
 */
export function findSuspects(): CallOwner[] {
  const connection = atWork.getStore();
  if (!connection) return [];
  const owners = [connection.owner, ...connection.origin.owners()].filter((owner) => owner !== undefined);
  return [...new Map(owners.map((owner) => [idOf(owner), owner])).values()];
}

function idOf(owner: CallOwner): string {
  return 'gateway' in owner ? owner.gateway : owner.webhookId;
}
