import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { AppConfig } from './app-config.ts';
import { FLAGS, toFlag } from './config-flag.ts';

/** Settings of a worker with gateways. */
export class SimulatorConfig extends AppConfig {
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(60_000)
  SIMULATOR_DELAY_MS: number = 500;

  @Transform(toFlag)
  @IsBoolean({ message: `SIMULATOR_INBOX must be one of ${FLAGS}` })
  SIMULATOR_INBOX: boolean = false;

  /** As the API has it; empty for gateways that call nobody back. */
  @IsString()
  PUBLIC_URL: string = '';
}
