import { Injectable } from '@nestjs/common';
import type { Lane } from '@signalbox/domain/lane';
import { Fleet } from '@signalbox/runtime/fleet';
import { TokenBucket } from '@signalbox/runtime/token-bucket';
import type { ChannelPace } from '../lanes/channel.ts';
import { Admission, KEPT } from './admission.ts';
import { Gateways } from './gateways.ts';
import { Router } from './router.ts';

/** Rounds per second of a rate-limited lane: more cost statements, fewer cost latency. */
const ROUNDS_PER_SECOND = 10;

/** Limits the rounds of a channel to this process's share of the rate that its gateways have together. */
@Injectable()
export class GatewaysRate implements ChannelPace {
  private limit: { rate: number; bucket: TokenBucket } | undefined;

  constructor(
    private readonly fleet: Fleet,
    private readonly gateways: Gateways,
    private readonly router: Router,
    private readonly admission: Admission,
  ) {}

  /** True while a gateway has no rate. */
  get isFree(): boolean {
    return this.bucket === undefined;
  }

  /** Reserves at most `most` messages for a round of a lane, until `chargeRound`; 0 when the lane has to wait. */
  reserve(lane: Lane, most: number): number {
    const { bucket } = this;
    const count = Math.min(most, bucket?.available(KEPT[lane]) ?? Number.POSITIVE_INFINITY);
    bucket?.take(count);
    return count;
  }

  /** Refunds what a round reserved and did not claim. */
  chargeRound(reserved: number, claimed: number): void {
    this.bucket?.take(claimed - reserved);
  }

  /**
   * Charges messages that were taken outside of rounds. Those that were throttled are dispatched again. The lanes wait for
   * a second or two at most, however many there were.
   */
  charge({ taken }: { taken: number }): void {
    this.bucket?.owe(taken);
  }

  /** Milliseconds until the next round of a lane, which other messages then leave the rate to. */
  waitMs(lane: Lane): number {
    const { bucket } = this;
    if (!bucket) return 0;
    const round = Math.max(1, Math.floor(this.shareOf(this.gateways.ratePerSecond ?? 0) / ROUNDS_PER_SECOND));
    const ms = bucket.waitMs(round, KEPT[lane]);
    if (ms > 0) this.admission.expectRound(lane, ms);
    return ms;
  }

  learn(): void {}

  /** The rate changes while the gateways do. */
  private get bucket(): TokenBucket | undefined {
    const rate = this.gateways.ratePerSecond;
    if (rate === null) this.limit = undefined;
    else if (this.limit?.rate !== rate)
      this.limit = { rate, bucket: new TokenBucket(() => this.shareOf(rate)) };
    return this.limit?.bucket;
  }

  /** This worker's share of the gateways' rate: of those that take messages here, or else of all of them. */
  private shareOf(rate: number): number {
    return this.router.shareOfRates ?? this.fleet.shareOfRate(rate);
  }
}
