import type { Provider, Type } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { Operators } from '@signalbox/database/operators';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { ApiConfig } from '../config.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { OptOutsController } from '../opt-outs/opt-outs.controller.ts';
import { OptOutsService } from '../opt-outs/opt-outs.service.ts';
import { PhonesController } from '../simulator/phones.controller.ts';
import { PhonesService } from '../simulator/phones.service.ts';
import { MessagesController } from './messages.controller.ts';
import { MessagesService } from './messages.service.ts';

/** Connections of their own for searches and exports, so that however many there are, acceptance does not wait behind them. */
export const SEARCHES = 'searches';

/** What looks messages up, and what is kept about their recipients. */
export function messageParts(config: ApiConfig): { controllers: Type[]; providers: Provider[] } {
  const manager = getEntityManagerToken();
  const searches = getEntityManagerToken(SEARCHES);
  return {
    controllers: [MessagesController, OptOutsController, ...(config.SIMULATOR_INBOX ? [PhonesController] : [])],
    providers: [
      { provide: Operators, inject: [searches], useFactory: (db: EntityManager) => Operators.open(db) },
      {
        provide: MessagesService,
        inject: [searches, Cursors, Operators],
        useFactory: (db: EntityManager, cursors: Cursors, operators: Operators) => new MessagesService(db, cursors, operators),
      },
      {
        provide: OptOutsService,
        inject: [manager, Cursors, Creations],
        useFactory: (db: EntityManager, cursors: Cursors, creations: Creations) => new OptOutsService(db, cursors, creations),
      },
      {
        provide: PhonesService,
        inject: [manager, Cursors, Sealer],
        useFactory: (db: EntityManager, cursors: Cursors, sealer: Sealer) => new PhonesService(db, cursors, sealer),
      },
    ],
  };
}
