import { Transform } from 'class-transformer';
import { IsBoolean, IsString } from 'class-validator';
import { AppConfig } from './app-config.ts';
import { FLAGS, toFlag } from './config-flag.ts';
import { IsWholeNumber } from './config-number.ts';

/** Settings of a worker with gateways. */
export class SimulatorConfig extends AppConfig {
  @IsWholeNumber(0, 60_000)
  SIMULATOR_DELAY_MS: number = 500;

  @Transform(toFlag)
  @IsBoolean({ message: `SIMULATOR_INBOX must be one of ${FLAGS}` })
  SIMULATOR_INBOX: boolean = false;

  /** As the API has it; empty for gateways that call nobody back. */
  @IsString()
  PUBLIC_URL: string = '';
}
