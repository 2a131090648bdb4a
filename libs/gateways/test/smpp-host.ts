import type { BindSlots, Slot } from '../src/bind-slots.ts';
import type { GatewayInbound } from '../src/callback-format.ts';
import type { GatewayHost } from '../src/gateway-host.ts';
import type { GatewayMessageId, SegmentReport } from '../src/gateway-ids.ts';
import type { OrphanReport } from '../src/orphan-reports.ts';

/** Slots of gateways, shared by the hosts of a test as processes share the table. */
export class MemorySlots implements BindSlots {
  readonly held = new Map<string, AbortController>();

  async acquire(gateway: string, slots: number): Promise<Slot | undefined> {
    for (let index = 0; index < slots; index += 1) {
      const key = `${gateway} ${index}`;
      if (this.held.has(key)) continue;
      const lost = new AbortController();
      this.held.set(key, lost);
      return {
        index,
        lost: lost.signal,
        inUse: () => this.held.size,
        release: async () => void this.held.delete(key),
      };
    }
    return undefined;
  }

  /** Makes every holder lose its slot. */
  loseAll(): void {
    for (const [key, lost] of this.held) {
      this.held.delete(key);
      lost.abort();
    }
  }
}

/** A host that keeps everything in memory. */
export interface MemoryHost extends GatewayHost {
  rows: GatewayMessageId[];
  kept: OrphanReport[];
  logs: { level: string; fields: object; event: string }[];
  /** Replaces `ids.insert`, to make it fail or wait. */
  beforeInsert: () => Promise<void>;
  inbound: GatewayInbound[];
}

/** Records lines by methods that need their object, as those of pino do. */
class MemoryLogger {
  readonly logs: MemoryHost['logs'] = [];

  info(fields: object, event: string): void {
    this.logs.push({ level: 'info', fields, event });
  }

  warn(fields: object, event: string): void {
    this.logs.push({ level: 'warn', fields, event });
  }

  error(fields: object, event: string): void {
    this.logs.push({ level: 'error', fields, event });
  }
}

/** Opens a host; several that share `slots` and `rows` are processes with one database. */
export function memoryHost(
  slots: BindSlots = new MemorySlots(),
  rows: GatewayMessageId[] = [],
  share: () => number = () => 1,
): MemoryHost {
  const reports = new Map<string, (SegmentReport | null)[]>();
  const kept: OrphanReport[] = [];
  const logger = new MemoryLogger();
  const host: MemoryHost = {
    rows,
    kept,
    logs: logger.logs,
    inbound: [],
    beforeInsert: () => Promise.resolve(),
    logger,
    slots,
    share,
    ids: {
      async insert(_gateway, inserted) {
        await host.beforeInsert();
        rows.push(...inserted);
      },
      report: async (_gateway, given) =>
        given.map((report) => {
          const row = rows.find(({ gatewayMessageId }) => gatewayMessageId === report.gatewayMessageId);
          if (!row) return undefined;
          const known = reports.get(row.messageId) ?? Array.from({ length: row.segments }, () => null);
          known[row.segment - 1] = report;
          reports.set(row.messageId, known);
          return { messageId: row.messageId, reports: known };
        }),
    },
    orphans: { keep: async (_gateway, orphans) => void kept.push(...orphans) },
    segments: {
      add: async (_gateway, { gatewayMessageId, from, to, text, sentAt, total }) =>
        total > 1 ? undefined : { gatewayMessageId, from, to, text, sentAt, isComplete: true },
      end: () => Promise.resolve(),
    },
  };
  return host;
}
