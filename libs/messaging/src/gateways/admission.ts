import { Injectable } from '@nestjs/common';
import { CODE_LANES, type Lane } from '@signalbox/domain/lane';
import type { SubmitOutcome, ThrottleScope } from '@signalbox/domain/routing/submit-outcome';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import { TokenBucket } from '@signalbox/runtime/token-bucket';
import { Gateways } from './gateways.ts';
import { Holds } from './holds.ts';
import { Router } from './router.ts';

/** Messages that may be at one gateway at the same time; more wait outside, so that a stalled gateway delays nobody. */
const MAX_IN_FLIGHT = 8_000;

/** Of these, messages that only codes may use. */
const KEPT_IN_FLIGHT = 500;

/** Fraction of a gateway's burst that a lane leaves to more urgent ones. */
export const KEPT: Record<Lane, number> = { OTP: 0, TRANS: 0.2, PROMO: 0.4, CHAT_OTP: 0, CHAT: 0.2 };

const FULL_RETRY_MS = 1_000;

/** Maximum delay of a message beyond a gateway's rate. */
const MAX_RATE_DELAY_MS = 30_000;

/** Milliseconds by which a round may come late. */
const LATE_ROUND_MS = 250;

/** The outcome of a routed message. */
export interface RoutedOutcome<Routed> {
  routed: Routed;
  outcome: SubmitOutcome;
}

/** The limits of some messages of a lane. */
interface Limits {
  lane: Lane;
  rate: number | null;
  isAlone?: boolean;
  isReserved?: boolean;
}

/** Decides which messages a gateway may have now: by its rate, its holds and its load. */
@Injectable()
export class Admission {
  readonly holds = new Holds();
  private readonly buckets = new Map<string, { rate: number; bucket: TokenBucket }>();
  private readonly inFlight = new Map<string, number>();
  /** Lone gateways that got messages outside of rounds since the last round: codes, or any. */
  private readonly lent = { codes: new Set<string>(), any: new Set<string>() };
  /** Until when the next round of codes, and the next one of any lane, wait for the rate, by `performance.now()`. */
  private readonly roundBy = { codes: -Infinity, any: -Infinity };

  constructor(
    private readonly router: Router,
    gateways: Gateways,
  ) {
    gateways.onOpen(({ name }) => this.holds.endAll(name));
  }

  /**
   * Splits messages of a lane into those that the gateway may have now, and the others, throttled for a reason. Less
   * urgent lanes leave a part of its rate, and room for codes.
   *
   * @param limits `isReserved` for messages that the rate has room for: they only count. `isAlone` for the only gateway of
   * a channel: rounds take each token of a low rate as soon as it is whole, so that other messages may borrow it before,
   * once between two rounds. They take nothing more while a round waits: new codes would wait for all of them. Codes leave
   * nothing to the rounds of other lanes
   */
  admit<Routed extends { message: OutgoingMessage }>(
    gateway: string,
    { lane, rate, isAlone = false, isReserved = false }: Limits,
    all: readonly Routed[],
  ): { admitted: Routed[]; refused: RoutedOutcome<Routed>[] } {
    const admitted: Routed[] = [];
    const refused: RoutedOutcome<Routed>[] = [];
    const most = CODE_LANES.includes(lane) ? MAX_IN_FLIGHT : MAX_IN_FLIGHT - KEPT_IN_FLIGHT;
    const room = most - (this.inFlight.get(gateway) ?? 0);
    const bucket = this.bucketOf(gateway, rate);
    const tokens = isReserved || !bucket ? Infinity : this.tokensOf(gateway, bucket, { lane, isAlone });
    for (const routed of all) {
      const heldMs = this.holds.heldMs(gateway, routed.message);
      if (heldMs > 0) refused.push(throttled(routed, heldMs, 'It throttled others of this kind.'));
      else if (admitted.length >= room)
        refused.push(throttled(routed, FULL_RETRY_MS, 'It has too many messages in progress.'));
      else if (admitted.length >= tokens)
        refused.push(
          throttled(
            routed,
            this.delayMs(this.router.shareOf(gateway, rate ?? 1), refused.length),
            'Its rate is used up.',
            'message',
          ),
        );
      else admitted.push(routed);
    }
    bucket?.take(admitted.length);
    if (isReserved) for (const lent of Object.values(this.lent)) lent.delete(gateway);
    else if (isAlone && admitted.length > 0) this.noteLoan(gateway, lane);
    return { admitted, refused };
  }

  /** Expects a round of a lane in `ms`, for which others leave the rate of a lone gateway. */
  expectRound(lane: Lane, ms: number): void {
    const by = performance.now() + ms + LATE_ROUND_MS;
    this.roundBy.any = Math.max(this.roundBy.any, by);
    if (CODE_LANES.includes(lane)) this.roundBy.codes = Math.max(this.roundBy.codes, by);
  }

  /** Counts messages as being at a gateway while some work on them lasts. */
  async during<R>(gateway: string, count: number, work: () => Promise<R>): Promise<R> {
    this.add(gateway, count);
    try {
      return await work();
    } finally {
      this.add(gateway, -count);
    }
  }

  private add(gateway: string, count: number): void {
    this.inFlight.set(gateway, (this.inFlight.get(gateway) ?? 0) + count);
  }

  /** Tokens that messages outside of rounds may take now. */
  private tokensOf(
    gateway: string,
    bucket: TokenBucket,
    { lane, isAlone }: Pick<Limits, 'lane' | 'isAlone'>,
  ): number {
    if (!isAlone) return bucket.available(KEPT[lane]);
    const kind = CODE_LANES.includes(lane) ? 'codes' : 'any';
    if (!this.lent[kind].has(gateway)) return bucket.availableOnLoan(KEPT[lane]);
    return performance.now() < this.roundBy[kind] ? 0 : bucket.available(KEPT[lane]);
  }

  private noteLoan(gateway: string, lane: Lane): void {
    this.lent.any.add(gateway);
    if (CODE_LANES.includes(lane)) this.lent.codes.add(gateway);
  }

  /** The delay of a message after `before` others beyond the rate: they come back as fast as the gateway takes them. */
  private delayMs(share: number, before: number): number {
    return Math.min(((before + 1) / share) * 1_000, MAX_RATE_DELAY_MS);
  }

  private bucketOf(gateway: string, rate: number | null): TokenBucket | undefined {
    if (rate === null) return undefined;
    const known = this.buckets.get(gateway);
    if (known?.rate === rate) return known.bucket;
    const bucket = new TokenBucket(() => this.router.shareOf(gateway, rate));
    this.buckets.set(gateway, { rate, bucket });
    return bucket;
  }
}

function throttled<Routed extends { message: OutgoingMessage }>(
  routed: Routed,
  delayMs: number,
  reason: string,
  scope: ThrottleScope = 'gateway',
): RoutedOutcome<Routed> {
  const { messageId } = routed.message;
  const retryAfterMs = Math.ceil(delayMs);
  return { routed, outcome: { messageId, result: 'throttled', scope, retryAfterMs, reason } };
}
