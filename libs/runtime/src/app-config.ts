import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsWholeNumber } from './config-number.ts';
import { HasNoProblem } from './config-problem.ts';
import { findDatabaseUrlProblem } from './database-url.ts';
import { findQueueUrlProblem } from './queue-url.ts';
import type { SecretKeys } from './seal.ts';
import { IsIn, IsNumber, IsString, Matches, Max, Min } from 'class-validator';

const KEY_SHAPE = /^[A-Za-z0-9+/]{43}=$/;
const A_SHARE = { message: '$property must be a share from 0 to 1' };
const PEPPER_SHAPE = /^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)?$/;

/**
 * Validates OTP_PEPPER, for apps that generate or verify codes: one key, or two during a rotation; the first makes new
 * codes.
 */
export function IsPepper(): PropertyDecorator {
  return Matches(PEPPER_SHAPE, {
    message:
      'OTP_PEPPER must be 32 random bytes in base64, or two such with a comma between: make one with `openssl rand -base64 32`',
  });
}

/** Validates MEDIA_S3_URL, for apps that store files; empty for none. */
export function IsS3Url(): PropertyDecorator {
  return Matches(/^(https?:\/\/[^/:@\s]+:[^/:@\s]+@[^/@\s?]+\/[^/?\s]+(\/[^?\s]*)?(\?region=[\w-]+)?)?$/, {
    message:
      'MEDIA_S3_URL must be https://KEY:SECRET@host/bucket, with /prefix and ?region=… as needed, and % escapes in key and secret',
  });
}

function findCollectorProblem(value: unknown): string | undefined {
  const url = String(value);
  if (url === '' || (/^https?:\/\/\S+$/.test(url) && URL.canParse(url))) return undefined;
  return 'OTEL_EXPORTER_OTLP_ENDPOINT must be the address of a collector, as http://collector:4318';
}

/** Settings of every app, read from its environment; each app adds its own. docs/configuration.md explains them. */
export class AppConfig {
  @HasNoProblem(findDatabaseUrlProblem)
  DATABASE_URL!: string;

  @HasNoProblem(findQueueUrlProblem)
  QUEUE_URL!: string;

  @IsString()
  QUEUE_PREFIX: string = 'signalbox';

  @IsWholeNumber(0, 65_535)
  PORT!: number;

  @IsString()
  HOST: string = '0.0.0.0';

  @IsIn(['debug', 'info', 'warn', 'error', 'silent'])
  LOG_LEVEL: string = 'info';

  @IsWholeNumber(1, 200)
  DATABASE_POOL_SIZE: number = 10;

  /** Read again by each pool, as clients of Postgres do. */
  @IsWholeNumber(1, 60)
  PGCONNECT_TIMEOUT: number = 3;

  @HasNoProblem(findCollectorProblem)
  OTEL_EXPORTER_OTLP_ENDPOINT: string = '';

  @Matches(/^([\w-]+=([^,\s%]|%[\da-f]{2})+(,(?=.)|$))*$/i, {
    message:
      'OTEL_EXPORTER_OTLP_HEADERS must be comma-separated headers, as api-key=value, with spaces, commas and % as %20, %2C and %25',
  })
  OTEL_EXPORTER_OTLP_HEADERS: string = '';

  @Type(() => Number)
  @IsNumber(undefined, A_SHARE)
  @Min(0, A_SHARE)
  @Max(1, A_SHARE)
  OTEL_TRACES_SAMPLER_ARG: number = 1;

  @Matches(KEY_SHAPE, {
    message: 'SECRETS_KEY must be 32 random bytes in base64: make one with `openssl rand -base64 32`',
  })
  SECRETS_KEY!: string;

  @Matches(/^([A-Za-z0-9+/]{43}=(,(?=.)|$))*$/, {
    message: 'SECRETS_KEYS_OLD must be keys like SECRETS_KEY, with commas between them',
  })
  SECRETS_KEYS_OLD: string = '';

  /** SECRETS_KEY first, which seals; the others only open. */
  get secretKeys(): SecretKeys {
    return [this.SECRETS_KEY, ...this.SECRETS_KEYS_OLD.split(',').filter((key) => key !== '')];
  }
}
