import type { Logger } from './logger.ts';
import { isOutage } from './outage.ts';
import { withTimeout } from './with-timeout.ts';

/** Asks each dependency of a process, by name; rejects while it is unavailable. */
export type Probes = Readonly<Record<string, () => Promise<unknown>>>;

const PROBE_TIMEOUT_MS = 2_000;

/**
 * Milliseconds between two probes while a dependency is unavailable, and for which the result of a successful probe
 * stands.
 */
const LOOK_EVERY_MS = 500;

/** Lines that wait for the first probe. Further ones are counted. */
const MAX_HELD = 200;

interface Line {
  fields: {
    error?: unknown;
    /** Of a line that sums up failures, the time of the last one. */
    lastAt?: Date;
  };
  event: string;
}

/** The outages of a process in its log. */
export interface OutageWatch {
  /**
   * Waits for a start and returns its result, then begins to probe the dependencies. Until then warnings of outages are
   * held, so that an outage during the start is one line too. When the start fails they are written.
   */
  start: <Started>(starting: Promise<Started>, probesOf: (started: Started) => Probes) => Promise<Started>;
  /** Writes what is held. Later warnings are written as they come. */
  end: () => void;
}

/**
 * Makes one line of an outage. While a dependency is unavailable, everything that needs it fails, many times a second:
 * warnings with such an error are counted instead of written. `dependency.lost` names the dependency; `dependency.back`
 * follows when it answers again, with the counts by event. A sum of failures that are all older is dropped.
 */
export function logOutagesOnce(logger: Logger): OutageWatch {
  const log = new OutageLog(logger);
  const { warn } = logger;
  logger.warn = (fields, event) => log.warn(fields, event);
  const end = (): void => {
    log.end();
    logger.warn = warn;
  };
  const start: OutageWatch['start'] = async (starting, probesOf) => {
    const started = await starting.catch((error: unknown) => {
      end();
      throw error;
    });
    log.ask(probesOf(started));
    return started;
  };
  return { start, end };
}

class OutageLog {
  /** Start of each outage, by `performance.now()`. */
  private readonly away = new Map<string, number>();
  private held: Line[] = [];
  private counts: Record<string, number> = {};
  private isLooking = false;
  private allThereAt = Number.NEGATIVE_INFINITY;
  /** End of the last outage, as `Date.now()`. */
  private backAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly write: Logger['warn'];
  /** Undefined while the process starts. */
  private probes: Probes | undefined;

  constructor(logger: Logger) {
    this.write = logger.warn.bind(logger);
  }

  ask(probes: Probes): void {
    this.probes = probes;
    if (this.held.length > 0) void this.look();
  }

  warn(fields: Line['fields'], event: string): void {
    if (!isOutage(fields.error)) return this.write(fields, event);
    if (this.away.size === 0 && isBefore(fields, this.backAt)) return;
    if (this.isKnownThere()) return this.write(fields, event);
    if (this.away.size > 0 || this.held.length >= MAX_HELD) return this.count(event);
    this.held.push({ fields, event });
    void this.look();
  }

  end(): void {
    clearTimeout(this.timer);
    this.writeHeld();
  }

  private isKnownThere(): boolean {
    return this.away.size === 0 && !this.isLooking && performance.now() - this.allThereAt < LOOK_EVERY_MS;
  }

  /** Asks all dependencies, and again while one is unavailable. */
  private async look(): Promise<void> {
    if (this.isLooking || !this.probes) return;
    this.isLooking = true;
    await Promise.all(Object.entries(this.probes).map(([name, probe]) => this.askOne(name, probe)));
    this.isLooking = false;
    if (this.away.size > 0) {
      for (const { event } of this.held) this.count(event);
      this.held = [];
      this.timer = setTimeout(() => void this.look(), LOOK_EVERY_MS).unref();
      return;
    }
    this.allThereAt = performance.now();
    this.writeHeld();
  }

  private async askOne(dependency: string, probe: () => Promise<unknown>): Promise<void> {
    try {
      await withTimeout(probe(), PROBE_TIMEOUT_MS, dependency);
      this.noteBack(dependency);
    } catch (error) {
      if (this.away.has(dependency)) return;
      this.away.set(dependency, performance.now());
      this.write({ dependency, error }, 'dependency.lost');
    }
  }

  private noteBack(dependency: string): void {
    const since = this.away.get(dependency);
    if (since === undefined) return;
    this.away.delete(dependency);
    this.backAt = Date.now();
    const failures = this.away.size === 0 ? this.takeCounts() : {};
    this.write({ dependency, awayMs: Math.round(performance.now() - since), ...failures }, 'dependency.back');
  }

  private count(event: string): void {
    this.counts[event] = (this.counts[event] ?? 0) + 1;
  }

  private takeCounts(): { failures?: Record<string, number> } {
    for (const { event } of this.held) this.count(event);
    this.held = [];
    const failures = this.counts;
    this.counts = {};
    return Object.keys(failures).length > 0 ? { failures } : {};
  }

  private writeHeld(): void {
    for (const { fields, event } of this.held) this.write(fields, event);
    this.held = [];
  }
}

function isBefore({ lastAt }: Line['fields'], ms: number): boolean {
  return lastAt instanceof Date && lastAt.getTime() <= ms;
}
