import { IsS3Url } from '@signalbox/runtime/app-config';
import { SimulatorConfig } from '@signalbox/runtime/simulator-config';
import { IsIn, IsString } from 'class-validator';

/** Settings of the chatapp-worker. */
export class ChatappWorkerConfig extends SimulatorConfig {
  @IsIn(['auto', 'manual'], { message: 'TEMPLATE_REVIEW must be auto or manual' })
  TEMPLATE_REVIEW: 'auto' | 'manual' = 'manual';

  @IsString()
  MEDIA_DIR: string = 'media';

  @IsS3Url()
  MEDIA_S3_URL: string = '';
}
