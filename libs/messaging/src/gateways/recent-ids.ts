import type { NewMessageId } from '@signalbox/database/gateways/message-ids';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import { LruMap } from '@signalbox/runtime/cached-lookup';

const MAX_IDS = 50_000;

/** Stands for an id that several segments have: the database decides on its reports. */
const SHARED = null;

type Id = Pick<NewMessageId, 'gateway' | 'gatewayMessageId'>;

/**
 * The latest ids that this process stored for messages of one segment, so that their reports are matched without a
 * lookup. An id counts while no row had it before, and only for a report that names the recipient: another process may
 * have got the same id for another number since.
 */
export class RecentIds {
  private readonly rows = new LruMap<string, NewMessageId | typeof SHARED>(MAX_IDS);

  /**
   * Adds rows that are durable.
   *
   * @param known those whose ids had rows before
   */
  add(rows: readonly NewMessageId[], known: readonly Id[]): void {
    for (const row of rows) {
      const id = idKey(row);
      const isShared = this.rows.get(id) !== undefined || row.segments > 1 || row.gatewayMessageId === '';
      this.rows.set(id, isShared ? SHARED : row);
    }
    for (const id of known) this.rows.set(idKey(id), SHARED);
  }

  /** Finds the row of a report; undefined when the database has to be asked. */
  find(gateway: string, { gatewayMessageId, recipient }: SegmentReport): NewMessageId | undefined {
    const row = this.rows.get(idKey({ gateway, gatewayMessageId })) ?? undefined;
    return row !== undefined && row.recipient === recipient ? row : undefined;
  }

  delete(id: Id): void {
    this.rows.delete(idKey(id));
  }
}

function idKey({ gateway, gatewayMessageId }: Id): string {
  return `${gateway} ${gatewayMessageId}`;
}
