import type { Provider } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import type { Channel as ChannelName } from '@signalbox/domain/channel';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { ClaimLeases } from '../lanes/claim-leases.ts';
import { Dispatcher } from '../lanes/dispatcher.ts';
import { Lanes } from '../lanes/lanes.ts';
import { InboundIntake } from '../reports/inbound-intake.ts';
import { ReportIntake } from '../reports/report-intake.ts';
import { RoutedSubmitter } from '../lanes/routed-submitter.ts';
import { Submitter } from '../lanes/submitter.ts';
import { DURABLE } from '../worker/worker.module.ts';
import { Admission } from './admission.ts';
import { BindSlotLeases } from './bind-slots.ts';
import { GatewayWatch } from './gateway-watch.ts';
import { Gateways } from './gateways.ts';
import { GatewaysRate } from './gateways-rate.ts';
import { DurableGatewayIds } from './gateway-ids.ts';
import { openGatewayIds } from './open-gateway-ids.ts';
import { openGateway } from './open-gateway.ts';
import { OutcomeCounts } from './outcome-counts.ts';
import { Router } from './router.ts';
import { WorkerHost } from './worker-host.ts';

/** Token of the gateway that serves a channel while it has no row. The app provides it. */
export const DEFAULT_GATEWAY = 'default gateway';

/** The parts of a worker's gateways that differ between workers. */
export interface GatewayProviderOptions {
  channel: ChannelName;
  /** The public address of the API, under which callbacks arrive; empty when there is none. */
  publicUrl: string;
  /** Kinds of gateways instead of those of the registry. */
  kinds?: readonly GatewayKind[] | undefined;
}

/**
 * Providers of everything from the rows of gateways to the submit of messages. Needs a Fleet, and a Channel.
 *
 * The way of a message: a job of its lane calls `Lanes`. The `LaneLoop` of the lane claims it, by the job or in a
 * scheduling round. The `Dispatcher` renders it. The `RoutedSubmitter` chooses its gateway by the `Router`, if
 * `Admission` lets it pass. The `Submitter` submits it, renews its claim by `ClaimLeases`, and records the outcome. Its
 * reports come to `ReportIntake`.
 */
export function gatewayProviders(options: GatewayProviderOptions): Provider[] {
  return [
    WorkerHost,
    BindSlotLeases,
    {
      provide: DurableGatewayIds,
      inject: [getEntityManagerToken(DURABLE), Logger],
      useFactory: openGatewayIds,
    },
    gatewaysProvider(options),
    watchProvider(options),
    Lanes,
    Dispatcher,
    RoutedSubmitter,
    Router,
    Admission,
    GatewaysRate,
    Submitter,
    ClaimLeases,
    OutcomeCounts,
    ReportIntake,
  ];
}

/** Providers to close when a worker ends, before what stores their reports. */
export const CLOSES_FIRST = [
  GatewayWatch,
  Lanes,
  ClaimLeases,
  Gateways,
  BindSlotLeases,
  DurableGatewayIds,
] as const;

function gatewaysProvider({ channel, publicUrl, kinds }: GatewayProviderOptions): Provider {
  return {
    provide: Gateways,
    inject: [DEFAULT_GATEWAY, WorkerHost, Sealer, Logger, ...inboundOf(channel)],
    useFactory: (
      defaultGateway: Gateway,
      host: WorkerHost,
      sealer: Sealer,
      logger: Logger,
      inbound?: InboundIntake,
    ) => {
      const options = { host, sealer, publicUrl: publicUrl || null, kinds };
      const gateways = new Gateways(
        defaultGateway,
        (row, current) => openGateway(row, options, current),
        logger,
      );
      if (inbound)
        gateways.onOpen((gateway) =>
          gateway.onInbound((messages) => inbound.receive(gateway.name, messages)),
        );
      return gateways;
    },
  };
}

/**
 * Opens the rows before the first job, so that no message goes to the default gateway although there are rows; and after
 * the intake of reports, which has to be attached to each gateway before it opens.
 */
function watchProvider({ channel }: GatewayProviderOptions): Provider {
  return {
    provide: GatewayWatch,
    inject: [EntityManager, Gateways, Router, OutcomeCounts, Logger, ReportIntake],
    useFactory: (
      db: EntityManager,
      gateways: Gateways,
      router: Router,
      counts: OutcomeCounts,
      logger: Logger,
    ) => new GatewayWatch(db, channel, { gateways, router, counts }, logger).start(),
  };
}

/** The intake of what recipients write. Chat apps bring it by callback. */
function inboundOf(channel: ChannelName): [typeof InboundIntake] | [] {
  return channel === 'sms' ? [InboundIntake] : [];
}
