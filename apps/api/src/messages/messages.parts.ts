import type { Provider, Type } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { Carriers } from '@signalbox/database/ops/carriers';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { openCallbackIntake } from '../callbacks/callback-intake.ts';
import type { ApiConfig } from '../config.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { InboundController } from '../inbound/inbound.controller.ts';
import { InboundService } from '../inbound/inbound.service.ts';
import { OptOutsController } from '../opt-outs/opt-outs.controller.ts';
import { OptOutsService } from '../opt-outs/opt-outs.service.ts';
import { PhonesController } from '../simulator/phones.controller.ts';
import { PhonesService } from '../simulator/phones.service.ts';
import { SimulatedCustomers } from '../simulator/simulated-customers.ts';
import { SimulatedInboundController } from '../simulator/simulated-inbound.controller.ts';
import { MessagesController } from './messages.controller.ts';
import { MessagesService } from './messages.service.ts';

/** Connections of their own for searches and exports, so that however many there are, acceptance does not wait behind them. */
export const SEARCHES = 'searches';

/** What looks messages up, what takes in what is told of them, and what is kept about their recipients. */
export function messageParts(
  config: ApiConfig,
  logger: Logger,
): { controllers: Type[]; providers: Provider[] } {
  const manager = getEntityManagerToken();
  const searches = getEntityManagerToken(SEARCHES);
  return {
    controllers: [
      MessagesController,
      InboundController,
      OptOutsController,
      ...(config.SIMULATOR_INBOX ? [PhonesController, SimulatedInboundController] : []),
    ],
    providers: [
      {
        provide: CallbackIntake,
        inject: [manager],
        useFactory: (db: EntityManager) =>
          openCallbackIntake(db, { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX }, logger),
      },
      {
        provide: InboundService,
        inject: [searches, Cursors],
        useFactory: (db: EntityManager, cursors: Cursors) => new InboundService(db, cursors),
      },
      {
        provide: SimulatedCustomers,
        inject: [manager, Creations, CallbackIntake],
        useFactory: (db: EntityManager, creations: Creations, intake: CallbackIntake) =>
          new SimulatedCustomers(db, creations, intake),
      },
      { provide: Carriers, inject: [searches], useFactory: (db: EntityManager) => Carriers.open(db) },
      {
        provide: MessagesService,
        inject: [searches, Cursors, Carriers],
        useFactory: (db: EntityManager, cursors: Cursors, operators: Carriers) =>
          new MessagesService(db, cursors, operators),
      },
      {
        provide: OptOutsService,
        inject: [manager, Cursors, Creations],
        useFactory: (db: EntityManager, cursors: Cursors, creations: Creations) =>
          new OptOutsService(db, cursors, creations),
      },
      {
        provide: PhonesService,
        inject: [manager, Cursors, Sealer],
        useFactory: (db: EntityManager, cursors: Cursors, sealer: Sealer) =>
          new PhonesService(db, cursors, sealer),
      },
    ],
  };
}
