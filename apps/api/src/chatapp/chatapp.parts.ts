import type { DynamicModule } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { openMediaStore } from '@signalbox/gateways/media/open-media-store';
import type { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { ChatAccountsController } from '../chat-accounts/chat-accounts.controller.ts';
import { ChatAccountsService } from '../chat-accounts/chat-accounts.service.ts';
import type { ApiConfig } from '../config.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { MediaController } from '../media/media.controller.ts';
import { MediaService } from '../media/media.service.ts';
import { SubmissionIntake } from '../sending/submission-intake.ts';
import { openReviewBell } from '../templates/review-bell.ts';
import { TemplatesController } from '../templates/templates.controller.ts';
import { TemplatesService } from '../templates/templates.service.ts';
import { ChatComposer } from './chat.composer.ts';
import { ChatController } from './chat.controller.ts';
import { ChatSubmissionsController } from './chat-submissions.controller.ts';
import { ChatLookups } from './chat-lookups.ts';
import { ChatService } from './chat.service.ts';

/** Chat-app messages, chat accounts, their templates, and the files these show: the parts that the api's module is made of. */
export function chatappParts(
  config: ApiConfig,
  logger: Logger,
): Required<Pick<DynamicModule, 'controllers' | 'providers'>> {
  const manager = getEntityManagerToken();
  return {
    controllers: [
      ChatAccountsController,
      TemplatesController,
      MediaController,
      ChatController,
      ChatSubmissionsController,
    ],
    providers: [
      {
        provide: ChatService,
        inject: [manager, SubmissionIntake, Sealer],
        useFactory: (db: EntityManager, intake: SubmissionIntake, sealer: Sealer) =>
          new ChatService(db, intake, sealer, new ChatComposer(db, new ChatLookups(db))),
      },
      {
        provide: MediaService,
        inject: [manager],
        useFactory: async (db: EntityManager) =>
          new MediaService(
            db,
            await openMediaStore({ folder: config.MEDIA_DIR, s3Url: config.MEDIA_S3_URL }),
          ),
      },
      {
        provide: ChatAccountsService,
        inject: [manager, Cursors, Creations],
        useFactory: (db: EntityManager, cursors: Cursors, creations: Creations) =>
          new ChatAccountsService(db, cursors, creations),
      },
      {
        provide: TemplatesService,
        inject: [manager, Cursors, Creations],
        useFactory: async (db: EntityManager, cursors: Cursors, creations: Creations) =>
          new TemplatesService(
            db,
            cursors,
            creations,
            await openReviewBell({ url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX }, logger),
          ),
      },
    ],
  };
}
