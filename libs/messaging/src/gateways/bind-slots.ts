import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  SLOT_LEASE_SECONDS,
  acquireSlot,
  releaseSlot,
  renewSlots,
} from '@signalbox/database/gateways/bind-slots';
import type { BindSlots, Slot } from '@signalbox/gateways/bind-slots';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';

const RENEW_MS = 3_000;
/** Time without a renewal after which a lease is given up before it ends for the other workers. */
const GIVE_UP_MS = SLOT_LEASE_SECONDS * 1000 - 1_500;

interface Held {
  holder: string;
  gateway: string;
  slot: number;
  inUse: number;
  lost: AbortController;
  /** When the last statement that leased it was sent, on the clock of `performance.now()`. */
  renewedAt: number;
}

/**
 * Bind slots as rows under leases of 10 s, which this process renews every 3 s. A slot is lost when another process has
 * it, or when it could not be renewed for 8.5 s; a killed process loses its slots to others after 10 s.
 */
@Injectable()
export class BindSlotLeases implements BindSlots {
  private readonly held = new Map<string, Held>();
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  async acquire(gateway: string, slots: number): Promise<Slot | undefined> {
    const renewedAt = performance.now();
    const holder = randomUUID();
    const leased = await acquireSlot(this.db, gateway, slots, holder);
    if (!leased) return undefined;
    const held: Held = { holder, gateway, ...leased, lost: new AbortController(), renewedAt };
    this.held.set(holder, held);
    this.timer ??= setInterval(() => this.tick(), RENEW_MS);
    return {
      index: held.slot,
      lost: held.lost.signal,
      inUse: () => held.inUse,
      release: () => this.release(held),
    };
  }

  /** Frees all slots. */
  async close(): Promise<void> {
    await Promise.all([...this.held.values()].map((held) => this.release(held)));
    await this.renewing;
  }

  /** The lease of a lost slot ends by itself. */
  private async release(held: Held): Promise<void> {
    if (this.forget(held)) await releaseSlot(this.db, held.holder);
  }

  private forget({ holder }: Held): boolean {
    const isHeld = this.held.delete(holder);
    if (this.held.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    return isHeld;
  }

  private tick(): void {
    const now = performance.now();
    for (const held of this.held.values()) if (now - held.renewedAt > GIVE_UP_MS) this.lose(held);
    this.renewing ??= this.renew(now).finally(() => (this.renewing = undefined));
  }

  private async renew(sentAt: number): Promise<void> {
    const asked = [...this.held.values()];
    const holders = asked.map(({ holder }) => holder);
    try {
      const renewed = await renewSlots(this.db, holders);
      const inUse = new Map(renewed.map((slot) => [slot.holder, slot.inUse]));
      for (const held of asked) {
        held.inUse = inUse.get(held.holder) ?? held.inUse;
        if (inUse.has(held.holder)) held.renewedAt = sentAt;
        else this.lose(held);
      }
    } catch (error) {
      this.logger.warn({ error }, 'bind_slots.unrenewed');
    }
  }

  private lose(held: Held): void {
    if (!this.forget(held)) return;
    this.logger.warn({ gateway: held.gateway, slot: held.slot }, 'bind_slot.lost');
    held.lost.abort();
  }
}
