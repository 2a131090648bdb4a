import { randomUUIDv7 } from 'node:crypto';
import type { Bell } from './bell.ts';
import { GroupCommit } from './group-commit.ts';

/** The body of one provider's call, as it came. */
export interface ReceivedCallback {
  id: string;
  gateway: string;
  body: Buffer;
}

/** What a callback weighs beside its body, in bytes: at most 2,000 of them are stored at once. */
const ROW_BYTES = 1_000;
const KILOBYTE = 1_024;
const MAX_BATCH_BYTES = 2_000_000;
const MAX_WAITING_BYTES = 64_000_000;

/**
 * Takes in what providers call back with. A callback is on disk before its provider is told so, and only then is the bell rung; nothing of it is
 * read here. Callbacks that arrive meanwhile share the next statement.
 */
export class CallbackIntake {
  private readonly commit: GroupCommit<ReceivedCallback, undefined>;

  /** @param store stores callbacks on a connection whose commits wait for the disk */
  constructor(
    store: (callbacks: ReceivedCallback[]) => Promise<unknown>,
    private readonly bell: Bell,
  ) {
    this.commit = new GroupCommit(
      async (callbacks) => {
        await store(callbacks);
        return callbacks.map(() => undefined);
      },
      {
        maxBatch: MAX_BATCH_BYTES,
        maxWaiting: MAX_WAITING_BYTES,
        weigh: ({ body }) => body.length + ROW_BYTES,
      },
    );
  }

  /**
   * Resolves with the id of the callback when it is stored.
   *
   * @param id for who must know it before
   * @throws OverloadedError or what the database threw; the provider calls again later
   */
  async receive(gateway: string, body: Buffer, id: string = randomUUIDv7()): Promise<string> {
    await this.commit.add({ id, gateway, body });
    this.ring(id, body.length);
    return id;
  }

  /** Rings for a callback that is stored. */
  ring(id: string, sizeBytes: number): void {
    this.bell.ring([id], Math.max(1, Math.ceil(sizeBytes / KILOBYTE)));
  }

  /** Resolves when everything received before is stored and rung for. */
  async close(): Promise<void> {
    await this.commit.close();
    await this.bell.close();
  }
}
