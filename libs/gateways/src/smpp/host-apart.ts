import type { Slot } from '../bind-slots.ts';
import { actAsNone } from '../connection.ts';
import type { GatewayHost } from '../gateway-host.ts';

/** Returns a function that runs for no connection: an exception in what it opens is traced to none. */
export function apart<A extends unknown[], R>(act: (...given: A) => R): (...given: A) => R {
  return (...given) => actAsNone(() => act(...given));
}

/** Returns a host whose services run apart from the gateway that asks for them, such as a connection to the database. */
export function hostApart(host: GatewayHost): GatewayHost {
  const { logger, ids, segments, slots, orphans } = host;
  return {
    logger,
    ids: {
      insert: apart((gateway, rows) => ids.insert(gateway, rows)),
      report: apart((gateway, reports) => ids.report(gateway, reports)),
    },
    segments: {
      add: apart((gateway, segment) => segments.add(gateway, segment)),
      end: apart((message) => segments.end(message)),
    },
    slots: { acquire: apart(async (gateway, binds) => slotApart(await slots.acquire(gateway, binds))) },
    orphans: { keep: apart((gateway, reports) => orphans.keep(gateway, reports)) },
    share: () => host.share(),
  };
}

function slotApart(slot: Slot | undefined): Slot | undefined {
  if (!slot) return undefined;
  const { index, lost } = slot;
  return { index, lost, inUse: () => slot.inUse(), release: apart(() => slot.release()) };
}
