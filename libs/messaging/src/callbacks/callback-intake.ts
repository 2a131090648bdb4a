import { randomUUIDv7 } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import {
  type NewCallback,
  type StoredCallback,
  insertCallbacks,
} from '@signalbox/database/reports/callbacks';
import type { NewReport } from '@signalbox/database/reports/reports';
import { CALLBACK_QUEUE, callbackWeight } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { GroupCommit, INTAKE_GAP } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { enqueueReports } from '../reports/enqueue-reports.ts';
import { onlyReports, readCallback } from './callback-contents.ts';
import { CallbackFormats } from './callback-formats.ts';

/**
 * Sizes in bytes of a stored callback without its body, and of one of its reports: one statement stores at most 2,000
 * callbacks, or 4,000 reports.
 */
const ROW_BYTES = 1_000;
const REPORT_BYTES = 500;
const LIMITS = { maxBatch: 2_000_000, maxWaiting: 64_000_000 };

/**
 * Stores callbacks of gateways. A callback is on disk before its gateway gets the response. One that contains nothing
 * but reports is read here: its reports are stored with it, and enqueued after that. Any other one, and a larger one than
 * `maxReadBytes`, is enqueued to be read. Callbacks that arrive meanwhile share the next statement.
 */
export class CallbackIntake {
  private readonly commit: GroupCommit<NewCallback, undefined>;

  /**
   * @param durable a database whose commits wait for the disk
   * @param maxReadBytes size of the largest callback that is read here; any by default
   */
  constructor(
    private readonly durable: EntityManager,
    private readonly queues: Pick<Queues, 'get'>,
    private readonly formats: Pick<CallbackFormats, 'find'>,
    private readonly counts: OutcomeCounts,
    private readonly maxReadBytes = Infinity,
  ) {
    this.commit = new GroupCommit((callbacks) => this.store(callbacks), {
      ...LIMITS,
      ...INTAKE_GAP,
      weigh: ({ body, reports }) => body.length + ROW_BYTES + (reports?.length ?? 0) * REPORT_BYTES,
      isItemFault: isRefusedValue,
    });
  }

  /**
   * Stores a callback, and enqueues what it contains.
   *
   * @param id given by a caller that must know it in advance
   * @returns the id
   * @throws OverloadedError or the error of the database; the gateway calls again later
   */
  async receive(gateway: string, body: Buffer, id: string = randomUUIDv7()): Promise<string> {
    const callback = { id, gateway, body };
    const reports = await this.readReports(callback);
    try {
      await this.commit.add({ ...callback, reports });
    } catch (error) {
      if (!reports || !isRefusedValue(error)) throw error;
      // unread: its reader notes that the database refuses its reports
      await this.commit.add(callback);
    }
    return id;
  }

  /** Resolves when every callback received before is stored. */
  close(): Promise<void> {
    return this.commit.close();
  }

  /** Returns the reports of a callback that can be read here; undefined for one that is left to its reader. */
  private async readReports(callback: StoredCallback): Promise<NewReport[] | undefined> {
    if (callback.body.length > this.maxReadBytes) return undefined;
    try {
      return onlyReports(readCallback(callback, await this.formats.find(callback.gateway)));
    } catch {
      return undefined; // it is still stored: the job of its reader fails, is retried, and logs the error
    }
  }

  private async store(callbacks: NewCallback[]): Promise<undefined[]> {
    const { codeReports, unread } = await insertCallbacks(this.durable, callbacks);
    const stored: NewReport[] = [];
    for (const { id, gateway, body, reports } of callbacks) {
      if (!reports || unread.has(id)) {
        this.queues.get(CALLBACK_QUEUE).enqueue([id], callbackWeight(body.length));
        continue;
      }
      this.counts.countReports(gateway, reports);
      stored.push(...reports);
    }
    enqueueReports(this.queues, stored, codeReports);
    return callbacks.map(() => undefined);
  }
}

interface CallbackIntakeOptions {
  /** Name of the database whose commits wait for the disk; by default the only one. */
  database?: string;
  /** Size of the largest callback that is read here; any by default. */
  maxReadBytes?: number;
}

/** Provides the intake of callbacks. */
export function callbackIntake({ database, maxReadBytes }: CallbackIntakeOptions = {}): Provider {
  return {
    provide: CallbackIntake,
    inject: [getEntityManagerToken(database), Queues, CallbackFormats, OutcomeCounts],
    useFactory: (
      durable: EntityManager,
      queues: Queues,
      formats: CallbackFormats,
      counts: OutcomeCounts,
    ): CallbackIntake => new CallbackIntake(durable, queues, formats, counts, maxReadBytes),
  };
}
