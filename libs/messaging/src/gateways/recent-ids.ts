import type { NewMessageId } from '@signalbox/database/gateways/message-ids';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import { LruMap } from '@signalbox/runtime/lru-map';
import { isFinal } from './segment-reports.ts';

/** Minimum number of ids that are remembered. */
const MIN_IDS = 25_000;

/** Stands for an id that several segments have: the database decides on its reports. */
const SHARED = null;

type Id = Pick<NewMessageId, 'gateway' | 'gatewayMessageId'>;

/**
 * The latest ids that this process stored for messages of one segment, so that their reports are matched without a
 * lookup. An id counts while no row for its recipient had it today or yesterday, and only for a report that names the
 * recipient: another process may have got the same id for another number since.
 */
export class RecentIds {
  private readonly rows = new LruMap<string, NewMessageId | typeof SHARED>(MIN_IDS);

  /** Returns the ids of rows that are to be looked up: for the others, the database decides anyway. */
  newIds(rows: readonly NewMessageId[]): string[] {
    const ids: string[] = [];
    for (const { gateway, gatewayMessageId, segments } of rows)
      if (segments === 1 && gatewayMessageId !== '' && !this.rows.has(idKey(gateway, gatewayMessageId)))
        ids.push(gatewayMessageId);
    return ids;
  }

  /**
   * Adds rows that are durable.
   *
   * @param known those whose ids had rows before
   */
  add(rows: readonly NewMessageId[], known: readonly Id[]): void {
    for (const row of rows) {
      const id = idKey(row.gateway, row.gatewayMessageId);
      const isShared = this.rows.has(id) || row.segments > 1 || row.gatewayMessageId === '';
      this.rows.set(id, isShared ? SHARED : row);
    }
    for (const { gateway, gatewayMessageId } of known)
      this.rows.set(idKey(gateway, gatewayMessageId), SHARED);
  }

  /**
   * Finds the row of a report; undefined when the database has to be asked. A final report forgets the id, which the
   * gateway may give to a later message.
   */
  find(gateway: string, report: SegmentReport): NewMessageId | undefined {
    const id = idKey(gateway, report.gatewayMessageId);
    const row = this.rows.get(id) ?? undefined;
    if (row === undefined || row.recipient !== report.recipient) return undefined;
    if (isFinal(report)) this.rows.delete(id);
    return row;
  }
}

function idKey(gateway: string, gatewayMessageId: string): string {
  return `${gateway} ${gatewayMessageId}`;
}
