import type { Abstract } from '@nestjs/common';
import type { Queues } from '@signalbox/queues/open-queues';
import type { Logger } from '@signalbox/runtime/logger';
import type { Schedule } from '@signalbox/runtime/repeat';
import type { EntityManager } from 'typeorm';

/** The class that a provider is injected by; it may be abstract. */
export type Token<T> = Abstract<T>;

export interface DutyContext {
  /** The transaction that holds the duty's lock, or the worker's default database. */
  db: EntityManager;
  queues: Pick<Queues, 'get'>;
  logger: Logger;
  /** Returns a provider of the worker. */
  get: <T>(token: Token<T>) => T;
}

interface DutySchedule extends Schedule {
  /** Named by the log line of a failed pass. */
  name: string;
  /**
   * Advisory lock of a pass: one process at a time does the duty, and others skip their pass. The pass is one
   * transaction.
   */
  lock?: string;
}

/** Work done once per pass. */
export interface SimpleDuty extends DutySchedule {
  /** Resolves with false when it found nothing to do, if its duty has an `idleMs`. */
  run: (context: DutyContext) => Promise<unknown>;
}

/**
 * Work done in batches: a pass continues until a batch is empty, for 20 s at most, or until the worker shuts down. Each
 * batch takes the lock again.
 */
export interface Sweep extends DutySchedule {
  /** Resolves with the number of rows of the batch. */
  sweep: (context: DutyContext) => Promise<number>;
  /**
   * Pause after each batch, as a multiple of its duration: a sweep that finds much to do leaves the database to others.
   */
  pauseFactor?: number;
  /** Event logged with the number of rows of a pass that had any. */
  logEvent?: string;
}

/**
 * Maintenance that a worker does in addition to its jobs. A pass that fails is logged as `duty.failed`, and the next
 * one runs.
 */
export type Duty = SimpleDuty | Sweep;
