import { AppConfig } from '@signalbox/runtime/app-config';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

/** The environment of the sms-worker. */
export class SmsWorkerConfig extends AppConfig {
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(60_000)
  SIMULATOR_DELAY_MS: number = 500;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(3_650)
  SHORT_LINK_DAYS: number = 90;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_DAYS: number = 90;
}
