import type { Provider, Type } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import type { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { RateGate } from '../auth/rate-gate.ts';
import type { ApiConfig } from '../config.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { IdempotencyKeys } from '../http/idempotency.ts';
import { SmsTemplateCache } from '../sms-templates/sms-template-cache.ts';
import { SmsTemplatesController } from '../sms-templates/sms-templates.controller.ts';
import { SmsTemplatesService } from '../sms-templates/sms-templates.service.ts';
import { openLaneBells } from './lane-bells.ts';
import { SmsComposer } from './sms.composer.ts';
import { SmsController } from './sms.controller.ts';
import { SmsService } from './sms.service.ts';
import { SubmissionsController } from './submissions.controller.ts';
import { SubmissionsService } from './submissions.service.ts';

/** What takes SMS in: the sends, their templates, and what became of a send. */
export function smsParts(config: ApiConfig, logger: Logger): { controllers: Type[]; providers: Provider[] } {
  const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
  const manager = getEntityManagerToken();
  return {
    controllers: [SmsController, SmsTemplatesController, SubmissionsController],
    providers: [
      {
        provide: SmsService,
        inject: [manager, Sealer, RateGate, IdempotencyKeys, SmsComposer],
        useFactory: async (db: EntityManager, sealer: Sealer, rate: RateGate, keys: IdempotencyKeys, composer: SmsComposer) =>
          new SmsService(db, await openLaneBells(queue, logger), sealer, { rate, keys }, composer),
      },
      { provide: SubmissionsService, inject: [manager], useFactory: (db: EntityManager) => new SubmissionsService(db) },
      { provide: SmsTemplateCache, inject: [manager], useFactory: (db: EntityManager) => new SmsTemplateCache(db) },
      {
        provide: SmsComposer,
        inject: [SmsTemplateCache],
        useFactory: (templates: SmsTemplateCache) => new SmsComposer(templates, `${config.PUBLIC_URL}/s/`),
      },
      {
        provide: SmsTemplatesService,
        inject: [manager, Creations, Cursors],
        useFactory: (db: EntityManager, creations: Creations, cursors: Cursors) => new SmsTemplatesService(db, creations, cursors),
      },
    ],
  };
}
