import type { Throttle } from './treatments.ts';

/** A scope to which nothing is sent until a moment of the monotonic clock. */
interface Hold {
  until: number;
  /** Shown to people; undefined for a plain rate limit. */
  alarm: string | undefined;
  isOfToken: boolean;
}

const GATEWAY = '';

/** Numbers, and the gateway as a whole, that send nothing for a while. */
export class Holds {
  private readonly holds = new Map<string, Hold>();
  /** The alarms that were raised since a message of their scope was accepted. */
  private readonly raised = new Map<string, string>();

  constructor(private readonly now: () => number) {}

  /** @param msisdn undefined for the gateway @returns true for an alarm that is to be raised */
  add(
    msisdn: string | undefined,
    { retryAfterMs, alarm, isOfToken = false }: Omit<Throttle, 'scope'>,
  ): boolean {
    const key = msisdn ?? GATEWAY;
    const until = Math.max(this.now() + retryAfterMs, this.current(key)?.until ?? 0);
    this.holds.set(key, { until, alarm, isOfToken });
    if (alarm === undefined || this.raised.get(key) === alarm) return false;
    this.raised.set(key, alarm);
    return true;
  }

  /** Ends the hold of the gateway if the token was its reason. */
  releaseToken(): void {
    if (!this.current(GATEWAY)?.isOfToken) return;
    this.holds.delete(GATEWAY);
    this.raised.delete(GATEWAY);
  }

  /** Notes that a message of a number was accepted: the next alarm is a new one. */
  noteAccepted(msisdn: string): void {
    this.raised.delete(GATEWAY);
    this.raised.delete(msisdn);
  }

  /** Returns the milliseconds for which a number, or the whole gateway, sends nothing. */
  remaining(msisdn: string): { scope: 'gateway' | 'sender'; ms: number; reason: string } | undefined {
    const gateway = this.current(GATEWAY);
    const hold = gateway ?? this.current(msisdn);
    if (!hold) return undefined;
    const reason = hold.alarm ?? 'Meta limits the rate';
    return { scope: gateway ? 'gateway' : 'sender', ms: hold.until - this.now(), reason };
  }

  /** The alarm of the gateway; undefined without one. */
  get gatewayAlarm(): string | undefined {
    return this.current(GATEWAY)?.alarm;
  }

  /** Numbers with an alarm. */
  get alarmed(): Map<string, string> {
    const alarmed = new Map<string, string>();
    for (const key of this.holds.keys()) {
      const alarm = key === GATEWAY ? undefined : this.current(key)?.alarm;
      if (alarm !== undefined) alarmed.set(key, alarm);
    }
    return alarmed;
  }

  /** The moment at which the last hold ends; undefined without one. */
  get until(): number | undefined {
    const open = [...this.holds.keys()].flatMap((key) => this.current(key)?.until ?? []);
    return open.length === 0 ? undefined : Math.max(...open);
  }

  private current(key: string): Hold | undefined {
    const hold = this.holds.get(key);
    if (hold && hold.until > this.now()) return hold;
    if (hold) this.holds.delete(key);
    return undefined;
  }
}
