import 'reflect-metadata';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { expect, test } from '@jest/globals';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { SmsWorkerConfig } from '../../apps/sms-worker/src/config.ts';
import { SmsWorkerModule } from '../../apps/sms-worker/src/sms-worker.module.ts';
import { Pace } from '../../libs/messaging/src/sms/pace.ts';
import { A_QUEUE } from '../support/queue.ts';
import { openRows } from '../support/rows.ts';

test('a worker knows the limits of accounts before its first job', async () => {
  await using rows = await openRows();
  const [pausedId, limitedId] = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(
    `INSERT INTO account (id, name, paused_at, sms_per_second)
     VALUES ($1, 'paused', now(), NULL), ($2, 'limited', NULL, 10)`,
    [pausedId, limitedId],
  );
  const config = loadConfig(SmsWorkerConfig, {
    DATABASE_URL: rows.url,
    ...A_QUEUE.settings(rows.url),
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
  });

  const worker = await NestFactory.createApplicationContext(
    SmsWorkerModule.with(config, createLogger('test', 'silent')),
    { logger: false, abortOnError: false },
  );
  const allowances = worker.get(Pace).allowances('TRANS');
  await worker.close();

  expect(allowances.get(pausedId)).toBe(0);
  expect(allowances.get(limitedId)).toBeLessThanOrEqual(10);
});
