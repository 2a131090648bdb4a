import type { Provider } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import type { GatewayHost } from '@signalbox/gateways/gateway-host';
import { Fleet } from '@signalbox/runtime/fleet';
import { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import { OrphanBox } from '../orphans/orphan-box.ts';
import { DURABLE } from '../worker/worker.module.ts';
import { BindSlotLeases } from './bind-slots.ts';
import { gatewayIdProviders } from './gateway-id-providers.ts';
import { DurableGatewayIds } from './gateway-ids.ts';
import { StoredInboundSegments } from './inbound-join.ts';

/** Token of the services that gateways need from this process. */
export const GATEWAY_HOST = 'gateway host';

/** Providers of the services that gateways need from this process. Needs a Fleet. */
export function hostProviders(): Provider[] {
  return [
    ...gatewayIdProviders(),
    {
      provide: BindSlotLeases,
      inject: [getEntityManagerToken(DURABLE), Logger],
      useFactory: (durable: EntityManager, logger: Logger) => new BindSlotLeases(durable, logger),
    },
    {
      provide: GATEWAY_HOST,
      inject: [
        getEntityManagerToken(DURABLE),
        Logger,
        Fleet,
        DurableGatewayIds,
        StoredInboundSegments,
        BindSlotLeases,
      ],
      useFactory: (
        durable: EntityManager,
        logger: Logger,
        fleet: Fleet,
        ...[ids, segments, slots]: [DurableGatewayIds, StoredInboundSegments, BindSlotLeases]
      ): GatewayHost => ({
        logger,
        ids,
        segments,
        slots,
        orphans: new OrphanBox(durable),
        share: () => fleet.shareOfRate(1),
      }),
    },
  ];
}
