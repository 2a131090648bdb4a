import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { GatewayHost } from '@signalbox/gateways/gateway-host';
import { Fleet } from '@signalbox/runtime/fleet';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { OrphanBox } from '../orphans/orphan-box.ts';
import { DURABLE } from '../worker/worker.module.ts';
import { BindSlotLeases } from './bind-slots.ts';
import { DurableGatewayIds } from './gateway-ids.ts';
import { StoredInboundSegments } from './inbound-join.ts';

/** The services that a worker offers to its gateways. What they store is on disk before they confirm it. */
@Injectable()
export class WorkerHost implements GatewayHost {
  readonly segments: StoredInboundSegments;
  readonly orphans: OrphanBox;

  constructor(
    @InjectEntityManager(DURABLE) durable: EntityManager,
    readonly logger: Logger,
    private readonly fleet: Fleet,
    readonly ids: DurableGatewayIds,
    readonly slots: BindSlotLeases,
  ) {
    this.segments = new StoredInboundSegments(durable);
    this.orphans = new OrphanBox(durable);
  }

  share(): number {
    return this.fleet.shareOfRate(1);
  }
}
