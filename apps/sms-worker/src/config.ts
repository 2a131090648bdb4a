import { parseQuietHours } from '@signalbox/domain/sms/quiet-hours';
import { IsWholeNumber } from '@signalbox/runtime/config-number';
import { SimulatorConfig } from '@signalbox/runtime/simulator-config';
import { ValidateBy } from 'class-validator';

/** Settings of the sms-worker. */
export class SmsWorkerConfig extends SimulatorConfig {
  /** 0 for no limit. */
  @IsWholeNumber(0, 1_000_000)
  SIMULATOR_RATE_PER_SECOND: number = 0;

  @ValidateBy({
    name: 'isQuietHours',
    validator: {
      validate: (text) => problemWith(text) === undefined,
      defaultMessage: (args) => `QUIET_HOURS: ${problemWith(args?.value)}`,
    },
  })
  QUIET_HOURS: string = 'PROMO 91 21:00-10:00 Asia/Kolkata';

  @IsWholeNumber(1, 3_650)
  SHORT_LINK_DAYS: number = 90;

  /** Days for which the ids that gateways give are kept, so that a report finds its message. */
  @IsWholeNumber(3, 7)
  GATEWAY_ID_DAYS: number = 5;

  @IsWholeNumber(3, 3_650, ': an idempotency key lasts 48 hours and needs its send')
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
