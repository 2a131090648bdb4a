import { expect, test } from '@jest/globals';
import { loadConfig } from '@signalbox/runtime/load-config';
import { SmsWorkerConfig } from './config.ts';

const SETTINGS = {
  DATABASE_URL: 'postgres://localhost/signalbox',
  QUEUE_URL: 'redis://localhost:6379',
  PORT: '0',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};

test('sends are kept for as long as their idempotency keys', () => {
  expect(() => loadConfig(SmsWorkerConfig, { ...SETTINGS, RETENTION_DAYS: '2' })).toThrow(
    'RETENTION_DAYS must be a whole number from 3 to 3650: an idempotency key lasts 48 hours and needs its send',
  );
  expect(loadConfig(SmsWorkerConfig, { ...SETTINGS, RETENTION_DAYS: '3' }).RETENTION_DAYS).toBe(3);
});
