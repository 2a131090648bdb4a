import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PING_ANSWER_MS, PING_EVERY_MS } from '@signalbox/domain/limits';
import {
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
} from 'bullmq';

/** Milliseconds between two attempts of a worker to reach the server. */
const RETRY_AFTER_MS = 1_000;

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/**
 * A connection whose next use prepares it again after an attempt that failed. That of BullMQ remembers the failure: a
 * producer would lose every job until its process restarts.
 */
class RetriedConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {
    try {
      await super.waitUntilReady();
    } catch (error) {
      Object.assign(this, { readyPromise: undefined });
      throw error;
    }
  }
}

/**
 * The connection of a worker. It waits until it reaches the server. Otherwise its worker would retry without a pause, and
 * starve the timers of the process.
 */
class WorkerConnection extends RetriedConnection {
  private ready: Promise<void> | undefined;
  private listener: ListenClient | undefined;

  override waitUntilReady(): Promise<void> {
    return (this.ready ??= this.untilReady());
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient();
    if (client !== this.listener) void watch((this.listener = client));
    return client;
  }

  private async untilReady(): Promise<void> {
    for (;;) {
      try {
        return await super.waitUntilReady();
      } catch (error) {
        if (this.isClosing) throw error;
        if (this.listenerCount('error') > 0) this.emit('error', error);
        await delay(RETRY_AFTER_MS);
      }
    }
  }
}

/** Pings a connection that only listens until a ping fails, then breaks it: BullMQ opens another. */
async function watch(client: ListenClient): Promise<void> {
  const ping = { text: 'SELECT 1', query_timeout: PING_ANSWER_MS } as unknown as string;
  try {
    for (;;) {
      await delay(PING_EVERY_MS, undefined, { ref: false });
      await client.query(ping);
    }
  } catch {
    (client.connection?.stream as Duplex | undefined)?.destroy();
  }
}

/** Creates the backend of a queue on Postgres; that of a worker waits for an unreachable server. */
export const createWaitingBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  name,
  options,
  more,
) =>
  more?.withBlockingConnection
    ? new PostgresQueueBackend(new WorkerConnection(options.connection), name, options, true, name)
    : new PostgresQueueBackend(new RetriedConnection(options.connection), name, options);
