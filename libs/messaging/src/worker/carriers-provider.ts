import type { InjectionToken, Provider } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import { EntityManager } from 'typeorm';

/** Provides the carriers of numbers, which are read over the connections that `db` names. */
export function carriersProvider(db: InjectionToken = EntityManager): Provider {
  return { provide: Carriers, inject: [db], useFactory: (manager: EntityManager) => Carriers.open(manager) };
}
