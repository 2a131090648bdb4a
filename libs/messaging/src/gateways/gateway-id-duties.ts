import {
  type StoredSegment,
  closeInboundSets,
  findOpenSets,
  listIncompleteSets,
  lockInboundKey,
  sweepInboundSegments,
} from '@signalbox/database/gateways/inbound-segments';
import { dropIdDays, makeIdDays } from '@signalbox/database/gateways/message-id-days';
import {
  clearWaiting,
  listSettled,
  listSilent,
  lockSegments,
} from '@signalbox/database/gateways/message-ids';
import { toGatewayInbound } from '@signalbox/gateways/inbound-segments';
import { rollUp } from '@signalbox/gateways/smpp/text/roll-up';
import { InboundIntake } from '../reports/inbound-intake.ts';
import type { Duty, DutyContext } from '../maintenance/duty.ts';
import { ReportIntake } from '../reports/report-intake.ts';
import { inLockOrder } from './inbound-join.ts';
import { joinSegments } from './join-segments.ts';
import { matchOrphans } from './match-orphans.ts';
import { messageOf, segmentsOf } from './segment-reports.ts';

/** Messages of one pass. */
const BATCH = 200;
/** Late inbound segments of one pass. Each may be of another message, with 255 long ones. */
const MAX_LATE_SEGMENTS = 20;

/**
 * Maintenance of the map of gateways' ids and of inbound segments.
 *
 * @param idDays days for which ids are kept
 */
export function gatewayIdDuties(idDays: number): Duty[] {
  return [
    { name: 'match orphan reports', everyMs: 1_000, sweep: matchOrphans },
    {
      name: 'make days of gateway ids',
      everyMs: 60_000,
      lock: 'gateway ids',
      run: ({ db }) => makeIdDays(db),
    },
    {
      name: 'drop days of gateway ids',
      everyMs: 60_000,
      lock: 'gateway ids',
      sweep: ({ db }) => dropIdDays(db, idDays),
    },
    { name: 'settle silent segments', everyMs: 15_000, lock: 'silent segments', sweep: settleSilent },
    {
      name: 'hand over incomplete messages',
      everyMs: 15_000,
      lock: 'inbound segments',
      sweep: handOverIncomplete,
    },
    {
      name: 'sweep inbound segments',
      everyMs: 60_000,
      lock: 'sweep inbound segments',
      sweep: ({ db }) => sweepInboundSegments(db),
    },
  ];
}

/**
 * Reports messages whose other segments stay silent, by the segments that have a final report. The report is on disk,
 * by a connection of the pool for durable commits, before the transaction of the pass ends. A repeat after a crash stores
 * the same report again.
 */
async function settleSilent({ db, get }: DutyContext): Promise<number> {
  const silent = await listSilent(db, BATCH);
  if (silent.length === 0) return 0;
  const gateways = new Map(silent.map((message) => [messageOf(message), message.gateway]));
  const rows = Map.groupBy(await lockSegments(db, silent), messageOf);
  const settled = new Set((await listSettled(db, silent)).map(messageOf));
  for (const [id, own] of rows) {
    // the gateway refused a segment of this message, which has failed already
    if (settled.has(id)) continue;
    const report = rollUp(segmentsOf(own), { receiptsFrom: 'all' }, { isSilent: true });
    if (report) await get(ReportIntake).receive(gateways.get(id)!, [report]);
  }
  await clearWaiting(db, silent);
  return silent.length;
}

/**
 * Stores inbound messages without their missing segments, and whole ones whose worker died before it stored them. A
 * segment that arrives later begins another message. The message is on disk, by a connection of the pool for durable
 * commits, while the locks of the pass hold such a segment back. A repeat after a crash does not store it again.
 */
async function handOverIncomplete({ db, get, logger }: DutyContext): Promise<number> {
  const late = await listIncompleteSets(db, MAX_LATE_SEGMENTS);
  // a segment that arrives now either completes its message first, or waits and begins another
  for (const key of inLockOrder(late)) await lockInboundKey(db, key);
  const open = setsOf(
    await findOpenSets(
      db,
      late.map(({ setId }) => setId),
    ),
  );
  for (const set of open) {
    const { gateway, total } = set[0]!;
    if (set.length < total) logger.warn({ gateway, segments: set.length, total }, 'inbound.incomplete');
    await get(InboundIntake).receive(gateway, [toGatewayInbound(joinSegments(set))]);
  }
  const setIds = open.map(([first]) => first!.setId);
  await closeInboundSets(db, setIds);
  return open.length;
}

function setsOf(segments: StoredSegment[]): StoredSegment[][] {
  return [...Map.groupBy(segments, ({ setId }) => setId).values()];
}
