import { Injectable } from '@nestjs/common';
import type { SmsLane } from '@signalbox/domain/lane';
import { Fleet } from '@signalbox/runtime/fleet';
import { TokenBucket } from '@signalbox/runtime/token-bucket';
import type { ChannelPace } from '../lanes/channel.ts';
import { Gateways } from '../gateways/gateways.ts';
import { GatewaysRate } from '../gateways/gateways-rate.ts';
import { BatchSize } from './batch-size.ts';

/** Maximum pause for a gateway that throttles, whatever delay it asks for. */
const MAX_PAUSE_MS = 5_000;

/**
 * Limits the messages that this process submits: to its share of the gateways' and the accounts' rates, and to batches
 * that the gateways accept quickly.
 */
@Injectable()
export class Pace implements ChannelPace {
  readonly batch = new BatchSize();
  private readonly accounts = new Map<string, { perSecond: number; bucket: TokenBucket }>();
  private pausedUntil = 0;
  private hasPaused = false;

  constructor(
    private readonly fleet: Fleet,
    private readonly gateways: Gateways,
    private readonly rate: GatewaysRate,
  ) {}

  /**
   * True while nothing limits the channel: no rate, no paused account, no throttling, and gateways that take full
   * batches quickly. Otherwise lanes are served in rounds, which keep to the pace and skip paused accounts.
   */
  get isFree(): boolean {
    return !this.hasPaused && this.rate.isFree && this.batch.isAtMax && this.pauseMs() === 0;
  }

  /** Reserves messages for a round of a lane, until `chargeRound`; 0 when the lane has to wait. */
  reserve(lane: SmsLane): number {
    return this.waitMs(lane) > 0 ? 0 : this.rate.reserve(lane, this.batch.messages);
  }

  /** Charges the claimed messages to their accounts, except for codes, and refunds the rest of the reservation. */
  chargeRound(lane: SmsLane, reserved: number, claimed: ReadonlyMap<string, number>): void {
    let total = 0;
    for (const [account, count] of claimed) {
      total += count;
      if (lane !== 'OTP') this.accounts.get(account)?.bucket.take(count);
    }
    this.rate.chargeRound(reserved, total);
  }

  /** Charges messages that were dispatched outside of rounds. */
  charge(dispatched: { taken: number }): void {
    this.rate.charge(dispatched);
  }

  /** Milliseconds until the next round of a lane. */
  waitMs(lane: SmsLane): number {
    return Math.max(this.pauseMs(), this.rate.waitMs(lane));
  }

  /** Messages that each limited account may send now; 0 for a paused one. Codes have no rate, only pauses. */
  allowances(lane: SmsLane): Map<string, number> {
    const limited =
      lane === 'OTP' ? [...this.accounts].filter(([, { perSecond }]) => perSecond === 0) : this.accounts;
    return new Map(
      Array.from(limited, ([id, { perSecond, bucket }]) => [id, perSecond === 0 ? 0 : bucket.available()]),
    );
  }

  /** True when an account has used up its rate for now. One that is paused waits for longer. */
  get isSpent(): boolean {
    return Array.from(this.accounts.values()).some(
      ({ perSecond, bucket }) => perSecond > 0 && bucket.available() === 0,
    );
  }

  /**
   * Adapts to the outcome of a batch. A gateway that throttles as a whole gets its pause. Of several gateways the
   * slowest would decide the size for all, so batches only grow: what each of them may have is up to `Admission`.
   */
  learn({ submitted, pauseMs, gatewayMs }: { submitted: number; pauseMs: number; gatewayMs: number }): void {
    if (this.gateways.hasChoice) this.batch.grow();
    else if (submitted > 0) this.batch.observe(submitted, gatewayMs);
    if (pauseMs > 0) this.pausedUntil = performance.now() + Math.min(pauseMs, MAX_PAUSE_MS);
  }

  /** Sets the limits of accounts, in messages per second for all workers together; 0 for a paused account. */
  limitAccounts(limits: ReadonlyMap<string, number>): void {
    this.hasPaused = [...limits.values()].includes(0);
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
