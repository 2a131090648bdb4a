import { randomUUIDv7 } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { type StoredCallback, insertCallbacks } from '@signalbox/database/reports/callbacks';
import { CALLBACK_QUEUE, callbackWeight } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';

/** Size of a stored callback in bytes, without its body: one statement stores at most 2,000 of them. */
const ROW_BYTES = 1_000;
const MAX_BATCH_BYTES = 2_000_000;
const MAX_WAITING_BYTES = 64_000_000;

/**
 * Stores callbacks of gateways, unread. A callback is on disk before its gateway gets the response, and enqueued after
 * that. Callbacks that arrive meanwhile share the next statement.
 */
export class CallbackIntake {
  private readonly commit: GroupCommit<StoredCallback, undefined>;

  /** @param durable a database whose commits wait for the disk */
  constructor(
    durable: EntityManager,
    private readonly queues: Pick<Queues, 'get'>,
  ) {
    const store = async (callbacks: StoredCallback[]): Promise<undefined[]> => {
      await insertCallbacks(durable, callbacks);
      return callbacks.map(() => undefined);
    };
    const weigh = ({ body }: StoredCallback): number => body.length + ROW_BYTES;
    this.commit = new GroupCommit(store, {
      maxBatch: MAX_BATCH_BYTES,
      maxWaiting: MAX_WAITING_BYTES,
      weigh,
      isItemFault: isRefusedValue,
    });
  }

  /**
   * Stores and enqueues a callback.
   *
   * @param id given by a caller that must know it in advance
   * @returns the id
   * @throws OverloadedError or the error of the database; the gateway calls again later
   */
  async receive(gateway: string, body: Buffer, id: string = randomUUIDv7()): Promise<string> {
    await this.commit.add({ id, gateway, body });
    this.queues.get(CALLBACK_QUEUE).enqueue([id], callbackWeight(body.length));
    return id;
  }

  /** Resolves when every callback received before is stored. */
  close(): Promise<void> {
    return this.commit.close();
  }
}

/**
 * Provides the intake of callbacks.
 *
 * @param database name of the database whose commits wait for the disk; by default the only one
 */
export function callbackIntake(database?: string): Provider {
  return {
    provide: CallbackIntake,
    inject: [getEntityManagerToken(database), Queues],
    useFactory: (durable: EntityManager, queues: Queues) => new CallbackIntake(durable, queues),
  };
}
