import { Module } from '@nestjs/common';
import { openMediaStore } from '@signalbox/gateways/media/open-media-store';
import { ApiConfig } from '../config.ts';
import { MediaController } from './media.controller.ts';
import { MEDIA_STORE, MediaService } from './media.service.ts';

/** Files for the headers of templates. */
@Module({
  controllers: [MediaController],
  providers: [
    MediaService,
    {
      provide: MEDIA_STORE,
      inject: [ApiConfig],
      useFactory: ({ MEDIA_DIR: folder, MEDIA_S3_URL: s3Url }: ApiConfig) =>
        openMediaStore({ folder, s3Url }),
    },
  ],
})
export class MediaModule {}
