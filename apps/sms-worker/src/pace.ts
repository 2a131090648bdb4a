import type { Lane } from '@signalbox/domain/lane';
import type { Fleet } from '@signalbox/runtime/fleet';
import { TokenBucket } from '@signalbox/runtime/token-bucket';
import { BatchSize } from './batch-size.ts';

/** The part of the gateway's rate that a lane leaves unused, so that the lanes before it find some at any moment. */
const KEPT: Record<Lane, number> = { OTP: 0, TRANS: 0.2, PROMO: 0.4 };

/** So many times a second a limited lane takes what it may: more often would cost statements, more seldom delay. */
const TURNS_PER_SECOND = 10;

/** A gateway that throttles is left alone for so long at most; it is asked again even if it wanted more. */
const MAX_PAUSE_MS = 5_000;

/** How fast this process may hand messages to its gateway: its share of the gateway's and of accounts' limits, and what the gateway takes. */
export class Pace {
  readonly batch = new BatchSize();
  private readonly gateway: TokenBucket | undefined;
  private readonly accounts = new Map<string, { perSecond: number; bucket: TokenBucket }>();
  private pausedUntil = 0;

  /** @param gatewayRate messages per second for all workers together; null without a limit */
  constructor(
    private readonly fleet: Fleet,
    private readonly gatewayRate: number | null,
  ) {
    if (gatewayRate !== null) this.gateway = new TokenBucket(() => fleet.shareOfRate(gatewayRate));
  }

  /** Whether messages may be taken as they come. If not, lanes are served in turns that keep to the pace. */
  get isFree(): boolean {
    return this.gateway === undefined && this.batch.isAtMost && this.pauseMs() === 0;
  }

  /** The most messages that a lane may take now, set aside for it until it settles; 0 when it has to wait. */
  reserve(lane: Lane): number {
    if (this.waitMs(lane) > 0) return 0;
    const count = Math.min(
      this.batch.messages,
      this.gateway?.available(KEPT[lane]) ?? Number.POSITIVE_INFINITY,
    );
    this.gateway?.take(count);
    return count;
  }

  /** Counts the messages that were taken, by account, and gives back what was set aside beyond them. */
  settle(reserved: number, taken: ReadonlyMap<string, number>): void {
    let total = 0;
    for (const [account, count] of taken) {
      total += count;
      this.accounts.get(account)?.bucket.take(count);
    }
    this.gateway?.take(total - reserved);
  }

  /** Counts messages that were taken beside the turns. */
  owe(count: number): void {
    this.gateway?.take(count);
  }

  /** Milliseconds until a lane's next turn. */
  waitMs(lane: Lane): number {
    const turn = Math.max(1, Math.floor(this.fleet.shareOfRate(this.gatewayRate ?? 0) / TURNS_PER_SECOND));
    return Math.max(this.pauseMs(), this.gateway?.waitMs(turn, KEPT[lane]) ?? 0);
  }

  /** What each limited account may send now. */
  allowances(): Map<string, number> {
    return new Map([...this.accounts].map(([id, { bucket }]) => [id, bucket.available()]));
  }

  /** Learns from what the gateway made of a batch. One that throttles most of it is left alone for a while. */
  learn({
    submitted,
    throttled,
    retryAfterMs,
    gatewayMs,
  }: {
    submitted: number;
    throttled: number;
    retryAfterMs: number;
    gatewayMs: number;
  }): void {
    if (submitted > 0) this.batch.took(submitted, gatewayMs);
    if (throttled * 2 > submitted)
      this.pausedUntil = performance.now() + Math.min(retryAfterMs, MAX_PAUSE_MS);
  }

  /** Sets the limits of accounts, in messages per second for all workers together. */
  limitAccounts(limits: ReadonlyMap<string, number>): void {
    for (const id of this.accounts.keys()) if (!limits.has(id)) this.accounts.delete(id);
    for (const [id, perSecond] of limits) {
      if (this.accounts.get(id)?.perSecond === perSecond) continue;
      this.accounts.set(id, { perSecond, bucket: new TokenBucket(() => this.fleet.shareOfRate(perSecond)) });
    }
  }

  private pauseMs(): number {
    return Math.max(0, this.pausedUntil - performance.now());
  }
}
