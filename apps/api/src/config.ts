import { isIP } from 'node:net';
import type { SenderRegistration } from '@signalbox/database/chat/accounts';
import { AppConfig, IsPepper, IsS3Url } from '@signalbox/runtime/app-config';
import { FLAGS, toFlag } from '@signalbox/runtime/config-flag';
import { IsWholeNumber } from '@signalbox/runtime/config-number';
import { HasNoProblem } from '@signalbox/runtime/config-problem';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsString,
  Matches,
  MaxLength,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { NEW_USERS } from './oidc/new-user-rules.ts';

const PROXY_GROUPS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Says which entry of TRUSTED_PROXIES is no address, network or group of networks; undefined when all are. */
function findProxiesProblem(value: unknown): string | undefined {
  const wrong = String(value)
    .split(',')
    .find((entry) => !PROXY_GROUPS.has(entry) && !isNetwork(entry));
  return wrong === undefined
    ? undefined
    : `TRUSTED_PROXIES must be comma-separated addresses or networks, as 10.0.0.0/8,192.0.2.7, or loopback, linklocal or uniquelocal; "${wrong}" is invalid`;
}

function isNetwork(text: string): boolean {
  const { address = '', bits = '1' } =
    /^(?<address>[\da-f.:]+)(?:\/(?<bits>\d+))?$/i.exec(text)?.groups ?? {};
  const version = isIP(address);
  return version !== 0 && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** Requires another setting where this one is given. */
function Requires(other: string): PropertyDecorator {
  const isMet = (value: unknown, given?: ValidationArguments): boolean => {
    const settings = (given?.object ?? {}) as Record<string, unknown>;
    return value === '' || Boolean(settings[other]);
  };
  return ValidateBy({
    name: 'requires',
    validator: { validate: isMet, defaultMessage: (given) => `${given?.property} needs ${other} as well` },
  });
}

/** Environment of the API. */
export class ApiConfig extends AppConfig {
  @IsWholeNumber(1, 1_000_000_000)
  RATE_LIMIT_PER_MINUTE: number = 60_000;

  @IsWholeNumber(1, 1_000_000_000)
  AUTH_FAILURES_PER_MINUTE: number = 20;

  @IsWholeNumber(0, 65_535)
  OPS_PORT: number = 0;

  @Matches(/^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9/_.-]*[A-Za-z0-9_.-])?$/, {
    message:
      'PUBLIC_URL must be the address at which phones reach the API, as https://host or https://host/path, without a trailing slash',
  })
  PUBLIC_URL!: string;

  @HasNoProblem(findProxiesProblem)
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

  @Requires('OIDC_CLIENT_ID')
  @Matches(/^(https:\/\/[^\s?#]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/[^\s?#]*)?)?$/, {
    message: 'OIDC_ISSUER must be the issuer of the identity provider, as https://login.example.com',
  })
  OIDC_ISSUER: string = '';

  @IsString()
  OIDC_CLIENT_ID: string = '';

  @IsString()
  OIDC_CLIENT_SECRET: string = '';

  @MaxLength(40, { message: 'OIDC_NAME must have at most 40 characters' })
  OIDC_NAME: string = '';

  @Matches(/^([a-z0-9-]+(\.[a-z0-9-]+)+(,(?=.)|$))*$/, {
    message: 'OIDC_EMAIL_DOMAINS must be comma-separated domains in small letters, as company.example',
  })
  OIDC_EMAIL_DOMAINS: string = '';

  @Requires('OIDC_EMAIL_DOMAINS')
  @Matches(NEW_USERS, {
    message:
      'OIDC_NEW_USERS must be rules with ; between them, as groups=support viewer Our company; editor Our company',
  })
  OIDC_NEW_USERS: string = '';

  @IsPepper()
  OTP_PEPPER!: string;
}
