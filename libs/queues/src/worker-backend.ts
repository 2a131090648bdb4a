import { setTimeout as delay } from 'node:timers/promises';
import {
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  createPostgresBackend,
} from 'bullmq';

const RETRY_AFTER_MS = 1_000;

/**
 * The connection of a worker. It waits until it reaches the server. BullMQ's own connection remembers that its first
 * attempt failed: its worker would retry without a pause, and starve the timers of the process.
 */
class WorkerConnection extends PostgresConnection {
  private reached: Promise<void> | undefined;

  override async waitUntilReady(): Promise<void> {
    await (this.reached ??= this.untilReached());
    try {
      await super.waitUntilReady();
    } catch (error) {
      await delay(RETRY_AFTER_MS);
      throw error;
    }
  }

  private async untilReached(): Promise<void> {
    while (!this.isClosing && !(await this.reaches())) await delay(RETRY_AFTER_MS);
  }

  private async reaches(): Promise<boolean> {
    try {
      (await this.pool.connect()).release();
      return true;
    } catch (error) {
      if (this.listenerCount('error') > 0) this.emit('error', error);
      return false;
    }
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
    : createPostgresBackend(name, options, more);
