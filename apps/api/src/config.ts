import type { SenderRegistration } from '@signalbox/database/chat/accounts';
import { AppConfig, IsPepper, IsS3Url } from '@signalbox/runtime/app-config';
import { FLAGS, toFlag } from '@signalbox/runtime/config-flag';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';

/** Environment of the API. */
export class ApiConfig extends AppConfig {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  RATE_LIMIT_PER_MINUTE: number = 60_000;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  AUTH_FAILURES_PER_MINUTE: number = 20;

  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  OPS_PORT: number = 0;

  @Matches(/^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9/_.-]*[A-Za-z0-9_.-])?$/, {
    message:
      'PUBLIC_URL must be the address at which phones reach the API, as https://host or https://host/path, without a trailing slash',
  })
  PUBLIC_URL!: string;

  @Matches(
    /^(loopback|linklocal|uniquelocal|[0-9A-Fa-f.:]+(\/\d{1,3})?)(,(loopback|linklocal|uniquelocal|[0-9A-Fa-f.:]+(\/\d{1,3})?))*$/,
    {
      message:
        'TRUSTED_PROXIES must be comma-separated addresses or networks, as 10.0.0.0/8,192.0.2.7, or loopback',
    },
  )
  TRUSTED_PROXIES: string = 'loopback';

  @Transform(toFlag)
  @IsBoolean({ message: `ALLOW_PRIVATE_WEBHOOKS must be one of ${FLAGS}` })
  ALLOW_PRIVATE_WEBHOOKS: boolean = false;

  @IsString()
  MEDIA_DIR: string = 'media';

  @IsS3Url()
  MEDIA_S3_URL: string = '';

  @Transform(toFlag)
  @IsBoolean({ message: `SIMULATOR_INBOX must be one of ${FLAGS}` })
  SIMULATOR_INBOX: boolean = false;

  @IsIn(['assigned', 'open'])
  SENDER_REGISTRATION: SenderRegistration = 'assigned';

  @Matches(/^([a-z0-9-]+:[^\s,:]{16,}(,(?=.)|$))*$/, {
    message:
      'CALLBACK_SECRETS must be comma-separated gateways with their secrets of at least 16 characters, as chat-simulator:secret',
  })
  CALLBACK_SECRETS: string = '';

  /** Secrets by gateway; a gateway that is listed twice has two. */
  get callbackSecrets(): ReadonlyMap<string, readonly string[]> {
    const secrets = new Map<string, string[]>();
    for (const [, gateway, secret] of this.CALLBACK_SECRETS.matchAll(/([^,:]+):([^,]+)/g)) {
      secrets.set(gateway!, [...(secrets.get(gateway!) ?? []), secret!]);
    }
    return secrets;
  }

  @IsString()
  GATEWAYS_FILE: string = '';

  @IsPepper()
  OTP_PEPPER!: string;
}
