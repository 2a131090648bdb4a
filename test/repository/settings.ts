import 'reflect-metadata';
import { AppConfig } from '@signalbox/runtime/app-config';
import { getMetadataStorage } from 'class-validator';
import { ApiConfig } from '../../apps/api/src/config.ts';
import { ChatappWorkerConfig } from '../../apps/chatapp-worker/src/config.ts';
import { DlrWorkerConfig } from '../../apps/dlr-worker/src/config.ts';
import { OtpWorkerConfig } from '../../apps/otp-worker/src/config.ts';
import { SmsWorkerConfig } from '../../apps/sms-worker/src/config.ts';

type Config = new () => object;

/** The configuration class of each app. */
export const CONFIGS: Readonly<Record<string, Config>> = {
  api: ApiConfig,
  'sms-worker': SmsWorkerConfig,
  'dlr-worker': DlrWorkerConfig,
  'otp-worker': OtpWorkerConfig,
  'chatapp-worker': ChatappWorkerConfig,
};

/** Configuration that every app has. */
export const SHARED_CONFIG: Config = AppConfig;

/** Returns the settings of a class by name, with those of its base class. */
export function namesOf(config: Config): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(config, '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}
