import { AppConfig } from '@signalbox/runtime/app-config';
import { FLAGS, toFlag } from '@signalbox/runtime/config-flag';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';

/** The environment of the api. */
export class ApiConfig extends AppConfig {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  RATE_LIMIT_PER_MINUTE: number = 60_000;

  @Transform(toFlag)
  @IsBoolean({ message: `ALLOW_PRIVATE_WEBHOOKS must be one of ${FLAGS}` })
  ALLOW_PRIVATE_WEBHOOKS: boolean = false;
}
