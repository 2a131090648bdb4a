import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'undici';
import type { CallOwner, Dial } from './webhook-call.ts';

/** One connection, with one request at a time. It is dialled when its first request needs it. */
export interface Connection {
  client: Client;
  isOpen: boolean;
  /** The dial of the request under way; undefined when the connection was open before. */
  dial: Dial | undefined;
  /** The owner of its latest request. */
  owner: CallOwner | undefined;
  origin: { owners: () => (CallOwner | undefined)[] };
}

/** A call that needs a connection. */
export interface Caller {
  owner: CallOwner | undefined;
  /** True when it no longer needs one. */
  isOver: () => boolean;
  /** Starts the call on a connection, which it has alone until it returns it by `release` or `discard`. */
  start: (connection: Connection) => void;
}

/** The connection that the running code works for. A socket keeps it from its dial, so that a call costs nothing more. */
const atWork = new AsyncLocalStorage<Connection>();

/** Does work for a connection: an exception in it, or in what it starts, leads to that connection's `findSuspects`. */
export function actAs<R>(connection: Connection, act: () => R): R {
  return atWork.run(connection, act);
}

/** Owner of the call that the running code works for; undefined outside of `actAs`. */
export function ownerAtWork(): CallOwner | undefined {
  return atWork.getStore()?.owner;
}

/**
 * Owners of the calls that an exception may come from, each once: first of the latest call of the connection that threw it, then
 * of all other calls to that origin, because each of them would meet the same peer. For a listener to `uncaughtException`, which
 * Node runs in the async context of the throwing code.
 *
 * @returns none for an exception that no connection threw
 */
export function findSuspects(): CallOwner[] {
  const connection = atWork.getStore();
  if (!connection) return [];
  const owners = [connection.owner, ...connection.origin.owners()].filter((owner) => owner !== undefined);
  return [...new Map(owners.map((owner) => [owner.webhookId, owner])).values()];
}
