import { IsS3Url } from '@signalbox/runtime/app-config';
import { FLAGS, toFlag } from '@signalbox/runtime/config-flag';
import { SimulatorConfig } from '@signalbox/runtime/simulator-config';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsString } from 'class-validator';

/** Settings of the chatapp-worker. */
export class ChatappWorkerConfig extends SimulatorConfig {
  @IsIn(['auto', 'manual'], { message: 'TEMPLATE_REVIEW must be auto or manual' })
  TEMPLATE_REVIEW: 'auto' | 'manual' = 'manual';

  @IsString()
  MEDIA_DIR: string = 'media';

  @Transform(toFlag)
  @IsBoolean({ message: `ALLOW_PRIVATE_WEBHOOKS must be one of ${FLAGS}` })
  ALLOW_PRIVATE_WEBHOOKS: boolean = false;

  @IsS3Url()
  MEDIA_S3_URL: string = '';
}
