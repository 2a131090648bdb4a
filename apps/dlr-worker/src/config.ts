import { AppConfig } from '@signalbox/runtime/app-config';
import { FLAGS, toFlag } from '@signalbox/runtime/config-flag';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';

/** Environment of the dlr-worker. */
export class DlrWorkerConfig extends AppConfig {
  @Transform(toFlag)
  @IsBoolean({ message: `ALLOW_PRIVATE_WEBHOOKS must be one of ${FLAGS}` })
  ALLOW_PRIVATE_WEBHOOKS: boolean = false;
}
