import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { deleteSubmitBatches, renewSubmitBatches } from '@signalbox/database/gateways/submit-batches';
import { type MessageClaim, renewClaims } from '@signalbox/database/messages/claims';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { messageKeyOf } from '@signalbox/domain/message-id';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import { Logger } from '@signalbox/runtime/logger';
import { type Repeated, repeat } from '@signalbox/runtime/repeat';
import { EntityManager } from 'typeorm';

/** Age of a batch at its first renewal, and time between renewals. Several of them may fail before the lease ends. */
const RENEW_EVERY_MS = 2_000;

/** A row of `submit_batch`. */
export interface NotedBatch {
  id: string;
  /** When its insert was sent, on the clock of `performance.now()`. */
  notedAt: number;
}

/** The claim of messages that are being submitted. */
export interface Lease {
  /** When its last renewal was sent that took effect, on the clock of `performance.now()`; undefined without one. */
  renewedAt: number | undefined;
}

/** Messages that a process is submitting. */
interface Batch extends Lease {
  messages: readonly OutgoingMessage[];
  /** Id of its row in `submit_batch`; undefined when it has none. */
  batchId: string | undefined;
  /** On the clock of `performance.now()`. */
  renewAt: number;
}

/**
 * Keeps the claims of messages whose submit takes long, so that no other worker submits them meanwhile. One timer
 * serves all batches, and a batch that ends within two seconds costs no statement.
 */
@Injectable()
export class ClaimLeases implements OnApplicationBootstrap {
  private readonly batches = new Set<Batch>();
  private renewing: Repeated | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.renewing = repeat('renew claims', { everyMs: RENEW_EVERY_MS / 2 }, () => this.renew(), this.logger);
  }

  /** Runs work on claimed messages, and renews their claims until it ends. The lease is current at any time. */
  async during<R>(
    messages: readonly OutgoingMessage[],
    work: (lease: Readonly<Lease>) => Promise<R>,
    noted?: NotedBatch,
  ): Promise<R> {
    const renewAt = (noted?.notedAt ?? performance.now()) + RENEW_EVERY_MS;
    const batch: Batch = { messages, batchId: noted?.id, renewAt, renewedAt: undefined };
    this.batches.add(batch);
    try {
      return await work(batch);
    } finally {
      this.batches.delete(batch);
      // tables that the Set has outgrown still refer to the batch until the next full garbage collection
      batch.messages = [];
    }
  }

  /** Deletes the row of a batch that is not submitted any more. */
  deleteNoted({ id }: Pick<NotedBatch, 'id'>): Promise<void> {
    return deleteSubmitBatches(this.db, [id]);
  }

  /** The ids of the batches that this process is submitting, as far as they have rows in `submit_batch`. */
  get batchIds(): string[] {
    return [...this.batches].flatMap(({ batchId }) => batchId ?? []);
  }

  /**
   * Renews what is due: first the batches, since other workers end those that are late. The time to the next renewal
   * begins when this one is sent, as its lease does. A claim that another worker has taken is left alone, and nobody
   * takes one whose batch has not ended.
   */
  async renew(now = performance.now()): Promise<void> {
    const due = Array.from(this.batches).filter(({ renewAt }) => renewAt <= now);
    if (due.length === 0) return;
    const batchIds = due.flatMap(({ batchId }) => batchId ?? []);
    const alive = new Set(batchIds.length > 0 ? await renewSubmitBatches(this.db, batchIds) : []);
    await renewClaims(
      this.db,
      LEASE_SECONDS,
      due.flatMap(({ messages }) => messages.flatMap(toClaim)),
    );
    for (const batch of due) {
      batch.renewAt = now + RENEW_EVERY_MS;
      if (batch.batchId !== undefined && alive.has(batch.batchId)) batch.renewedAt = now;
    }
  }

  async close(): Promise<void> {
    await this.renewing?.stop();
  }
}

/** The claim of a message; none for a message whose id is not of our form. */
export function toClaim(message: OutgoingMessage): MessageClaim[] {
  const key = messageKeyOf(message);
  return key ? [{ submissionId: key.submissionId, n: key.n, attempt: message.attempt }] : [];
}
