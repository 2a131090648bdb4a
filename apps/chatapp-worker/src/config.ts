import { AppConfig, IsS3Url } from '@signalbox/runtime/app-config';
import { IsIn, IsString } from 'class-validator';

/** The environment of the chatapp-worker. */
export class ChatappWorkerConfig extends AppConfig {
  @IsIn(['auto', 'manual'], { message: 'TEMPLATE_REVIEW must be auto or manual' })
  TEMPLATE_REVIEW: 'auto' | 'manual' = 'manual';

  @IsString()
  MEDIA_DIR: string = 'media';

  @IsS3Url()
  MEDIA_S3_URL: string = '';
}
