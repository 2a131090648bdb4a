import { parseQuietHours } from '@signalbox/domain/sms/quiet-hours';
import { SimulatorConfig } from '@signalbox/runtime/simulator-config';
import { Type } from 'class-transformer';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';

/** Settings of the sms-worker. */
export class SmsWorkerConfig extends SimulatorConfig {
  /** 0 for no limit. */
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  SIMULATOR_RATE_PER_SECOND: number = 0;

  @ValidateBy({
    name: 'isQuietHours',
    validator: {
      validate: (text) => problemWith(text) === undefined,
      defaultMessage: (args) => `QUIET_HOURS: ${problemWith(args?.value)}`,
    },
  })
  QUIET_HOURS: string = 'PROMO 91 21:00-10:00 Asia/Kolkata';

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(3_650)
  SHORT_LINK_DAYS: number = 90;

  /** Days for which the ids that gateways give are kept, so that a report finds its message. */
  @Type(() => Number)
  @IsInt()
  @Min(3)
  @Max(7)
  GATEWAY_ID_DAYS: number = 5;

  @Type(() => Number)
  @IsInt()
  @Min(3, {
    message: 'RETENTION_DAYS must be at least 3: an idempotency key lasts 48 hours and needs its send',
  })
  @Max(3_650)
  RETENTION_DAYS: number = 90;
}

function problemWith(text: unknown): string | undefined {
  try {
    parseQuietHours(String(text));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
