import { listPacedAccounts } from '@signalbox/database/accounts/accounts';
import { sweepOptOutEnds } from '@signalbox/database/accounts/opt-out-ends';
import { sweepGatewayCounts } from '@signalbox/database/gateways/health';
import { sweepPins } from '@signalbox/database/gateways/pins';
import { LINK_BATCH, addUpClicks, deleteExpiredLinks } from '@signalbox/database/messages/short-links';
import { sweepPhoneMessages } from '@signalbox/database/ops/phones';
import { sweepQueueMinutes } from '@signalbox/database/ops/queue-minutes';
import { countParked } from '@signalbox/database/ops/starts';
import { Retention } from '@signalbox/database/ops/retention';
import { sweepRowFailures } from '@signalbox/database/ops/row-failures';
import {
  UncountedMinute,
  advanceStatistics,
  sweepMinutes,
  sweepStatistics,
} from '@signalbox/database/statistics/minutes';
import { advanceCancellations } from '@signalbox/database/submissions/cancellations';
import { sweepIdempotencyKeys } from '@signalbox/database/submissions/creations';
import { wipeAbandonedSecrets } from '@signalbox/database/submissions/sealed-texts';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { callbackDuties } from '@signalbox/messaging/callbacks/callback-reading';
import { gatewayIdDuties } from '@signalbox/messaging/gateways/gateway-id-duties';
import { laneDuties } from '@signalbox/messaging/lanes/lane-duties';
import type { Duty } from '@signalbox/messaging/maintenance/duty';
import { walked } from '@signalbox/messaging/maintenance/walked';
import { weekDuties } from '@signalbox/messaging/maintenance/week-duties';
import { orphanDuties } from '@signalbox/messaging/orphans/orphan-duties';
import { Pace } from '@signalbox/messaging/sms/pace';
import type { Logger } from '@signalbox/runtime/logger';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';
import type { SmsWorkerConfig } from './config.ts';

const parkedRows = new Gauge({
  name: 'signalbox_parked_rows',
  help: 'Rows parked after too many starts, by table; docs/operations.md explains how to release them',
  labelNames: ['table'],
});

/** Maintenance by the sms-worker: of SMS, and of the tables that every channel shares. */
export function smsDuties({ RETENTION_DAYS, GATEWAY_ID_DAYS }: SmsWorkerConfig): Duty[] {
  const retention = new Retention(RETENTION_DAYS);
  return [
    ...laneDuties(),
    ...callbackDuties(),
    ...orphanDuties(),
    ...gatewayIdDuties(GATEWAY_ID_DAYS),
    ...weekDuties(RETENTION_DAYS),
    {
      name: 'learn the rates of accounts',
      everyMs: 2_000,
      run: async ({ db, get }) => get(Pace).limitAccounts(await listPacedAccounts(db)),
    },
    countParkedRows(),
    {
      name: 'delete old rows',
      everyMs: 60_000,
      lock: 'retention',
      sweep: ({ db, logger }) =>
        retention.deleteSome(db, (table, error) => logger.warn({ table, error }, 'rows.delete_failed')),
      logEvent: 'rows.deleted',
    },
    {
      name: 'count messages',
      everyMs: 5_000,
      lock: 'statistics',
      pauseFactor: 3,
      sweep: ({ db, logger }) => advanceOrLog(db, RETENTION_DAYS, logger),
    },
    {
      name: 'advance cancellations',
      everyMs: 500,
      idleMs: 1_000,
      sweep: ({ db }) => advanceCancellations(db),
    },
    { name: 'add up clicks', everyMs: 2_000, sweep: ({ db }) => addUpFullBatch(db) },
    minuteSweep('delete expired links', deleteExpiredLinks),
    minuteSweep('sweep minutes of statistics', sweepMinutes),
    {
      name: 'sweep statistics',
      everyMs: 600_000,
      lock: 'sweep statistics',
      sweep: ({ db }) => sweepStatistics(db),
    },
    {
      name: 'wipe abandoned secrets',
      everyMs: 60_000,
      lock: 'wipe abandoned secrets',
      pauseFactor: 1,
      sweep: walked(MIN_UUID, wipeAbandonedSecrets),
    },
    minuteSweep('sweep phones', sweepPhoneMessages),
    minuteSweep('sweep pins', sweepPins),
    minuteSweep('sweep health of gateways', sweepGatewayCounts),
    minuteSweep('sweep minutes of queues', sweepQueueMinutes),
    minuteSweep('sweep failures of rows', sweepRowFailures),
    minuteSweep('sweep ends of opt-outs', sweepOptOutEnds),
    minuteSweep('sweep idempotency keys', sweepIdempotencyKeys),
  ];
}

/** Counts the messages of a minute. One that cannot be counted delays no other. */
async function advanceOrLog(db: EntityManager, days: number, logger: Logger): Promise<number> {
  try {
    return await advanceStatistics(db, days);
  } catch (error) {
    if (!(error instanceof UncountedMinute)) throw error;
    logger.warn({ minute: error.minute, error: error.cause }, 'statistics.minute_failed');
    return 1;
  }
}

/**
 * Adds up a batch of clicks. Anybody may follow a link, so there may be more than a batch in each pass.
 *
 * @returns 0 when the batch was not full, which ends the pass
 */
async function addUpFullBatch(db: EntityManager): Promise<number> {
  const count = await addUpClicks(db);
  return count < LINK_BATCH ? 0 : count;
}

/** A sweep each minute, under a lock by its name, so that processes do not wait for each other's rows. */
function minuteSweep(name: string, sweep: (db: EntityManager) => Promise<number>): Duty {
  return { name, everyMs: 60_000, lock: name, sweep: ({ db }) => sweep(db) };
}

/** Shows the number of parked rows, and logs an error when it has grown. */
function countParkedRows(): Duty {
  let lastTotal = 0;
  return {
    name: 'count parked rows',
    everyMs: 15_000,
    run: async ({ db, logger }) => {
      const parked = await countParked(db);
      for (const [table, count] of Object.entries(parked)) parkedRows.set({ table }, count);
      const total = Object.values(parked).reduce((sum, count) => sum + count, 0);
      if (total > lastTotal) logger.error({ ...parked }, 'rows.parked');
      lastTotal = total;
    },
  };
}
