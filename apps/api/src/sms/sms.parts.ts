import type { Provider, Type } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { RateGate } from '../auth/rate-gate.ts';
import type { ApiConfig } from '../config.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { SubmissionIntake } from '../sending/submission-intake.ts';
import { SmsTemplateCache } from '../sms-templates/sms-template-cache.ts';
import { SmsTemplatesController } from '../sms-templates/sms-templates.controller.ts';
import { SmsTemplatesService } from '../sms-templates/sms-templates.service.ts';
import { SmsComposer } from './sms.composer.ts';
import { SmsController } from './sms.controller.ts';
import { SmsService } from './sms.service.ts';
import { SubmissionsController } from './submissions.controller.ts';
import { SubmissionsService } from './submissions.service.ts';

/** What takes SMS in: the sends, their templates, and what became of a send. */
export function smsParts(config: ApiConfig): { controllers: Type[]; providers: Provider[] } {
  const manager = getEntityManagerToken();
  return {
    controllers: [SmsController, SmsTemplatesController, SubmissionsController],
    providers: [
      {
        provide: SmsService,
        inject: [manager, SubmissionIntake, Sealer, RateGate, SmsComposer],
        useFactory: (
          db: EntityManager,
          intake: SubmissionIntake,
          sealer: Sealer,
          rate: RateGate,
          composer: SmsComposer,
        ) => new SmsService(db, intake, sealer, rate, composer),
      },
      {
        provide: SubmissionsService,
        inject: [manager],
        useFactory: (db: EntityManager) => new SubmissionsService(db),
      },
      {
        provide: SmsTemplateCache,
        inject: [manager],
        useFactory: (db: EntityManager) => new SmsTemplateCache(db),
      },
      {
        provide: SmsComposer,
        inject: [SmsTemplateCache],
        useFactory: (templates: SmsTemplateCache) => new SmsComposer(templates, `${config.PUBLIC_URL}/s/`),
      },
      {
        provide: SmsTemplatesService,
        inject: [manager, Creations, Cursors],
        useFactory: (db: EntityManager, creations: Creations, cursors: Cursors) =>
          new SmsTemplatesService(db, creations, cursors),
      },
    ],
  };
}
