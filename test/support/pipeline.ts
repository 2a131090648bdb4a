import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { DynamicModule } from '@nestjs/common';
import { newApiKey } from '@signalbox/domain/api-key';
import { seedDemo } from '@signalbox/database/accounts/seed';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import type { SmsGateway } from '@signalbox/gateways/sms-gateway';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger, nestLogger } from '@signalbox/runtime/logger';
import { createApi } from '../../apps/api/src/api.ts';
import { ApiConfig } from '../../apps/api/src/config.ts';
import { ChatappWorkerModule } from '../../apps/chatapp-worker/src/chatapp-worker.module.ts';
import { ChatappWorkerConfig } from '../../apps/chatapp-worker/src/config.ts';
import { DlrWorkerConfig } from '../../apps/dlr-worker/src/config.ts';
import { DlrWorkerModule } from '../../apps/dlr-worker/src/dlr-worker.module.ts';
import { OtpWorkerConfig } from '../../apps/otp-worker/src/config.ts';
import { OtpWorkerModule } from '../../apps/otp-worker/src/otp-worker.module.ts';
import { SmsWorkerConfig } from '../../apps/sms-worker/src/config.ts';
import { SmsWorkerModule } from '../../apps/sms-worker/src/sms-worker.module.ts';
import { createDatabase } from './database.ts';
import type { QueueBackend, QueueSettings } from './queue.ts';

const SECRETS_KEY = randomBytes(32).toString('base64');
const OTP_PEPPER = randomBytes(32).toString('base64');

export interface Answered<B = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: B;
}

/** The whole service in this process, on its own database and queue. */
export interface Pipeline extends AsyncDisposable {
  databaseUrl: string;
  queue: QueueSettings;
  apiUrl: string;
  apiKey: string;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answered>;
  get: (path: string) => Promise<Answered>;
}

export interface PipelineOptions {
  queue: QueueBackend;
  gateway?: SmsGateway;
  env?: Record<string, string>;
  /** Fills the database before the apps start. */
  prepare?: (databaseUrl: string) => Promise<void>;
  /** Gets each line that is logged, at every level; else nothing is logged unless TEST_LOG_LEVEL says so. */
  onLogLine?: (line: string) => void;
  /** Workers to run; a name given twice runs two. By default those of SMS. */
  workers?: ('sms' | 'dlr' | 'otp' | 'chatapp')[];
}

/** Starts the API and its workers: `await using p = await startPipeline({ queue })`. */
export async function startPipeline({
  queue,
  gateway,
  prepare,
  env = {},
  onLogLine,
  workers = ['sms', 'dlr'],
}: PipelineOptions): Promise<Pipeline> {
  await using started = new AsyncDisposableStack();
  const database = started.use(await createDatabase());
  const apiKey = newApiKey('test');
  await seedDemo(database.url, apiKey);
  await prepare?.(database.url);
  const settings = {
    DATABASE_URL: database.url,
    ...queue.settings(database.url),
    PORT: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    SECRETS_KEY,
    OTP_PEPPER,
    ALLOW_PRIVATE_WEBHOOKS: '1',
    QUIET_HOURS: 'none',
    PUBLIC_URL: 'https://sgnl.example',
    MEDIA_DIR: mediaFolder(started),
    AUTH_FAILURES_PER_MINUTE: '1000000',
    ...env,
  };
  const logger = onLogLine
    ? createLogger('test', 'debug', { write: onLogLine })
    : createLogger('test', settings.LOG_LEVEL);
  for (const worker of workers) {
    if (worker === 'chatapp')
      await startWorker(started, ChatappWorkerModule.with(loadConfig(ChatappWorkerConfig, settings), logger));
    if (worker === 'dlr')
      await startWorker(started, DlrWorkerModule.with(loadConfig(DlrWorkerConfig, settings), logger));
  }
  if (workers.includes('otp'))
    await startWorker(started, OtpWorkerModule.with(loadConfig(OtpWorkerConfig, settings), logger));
  if (workers.includes('sms')) {
    const config = loadConfig(SmsWorkerConfig, settings);
    await startWorker(
      started,
      SmsWorkerModule.with(
        config,
        logger,
        gateway ??
          new SimulatorGateway({
            delayMs: config.SIMULATOR_DELAY_MS,
            ratePerSecond: config.SIMULATOR_RATE_PER_SECOND || null,
          }),
      ),
    );
  }
  const api = await createApi(loadConfig(ApiConfig, settings), logger);
  started.defer(() => api.drain(0));
  await api.app.listen(0, '127.0.0.1');
  const apiUrl = (await api.app.getUrl()).replace('[::1]', '127.0.0.1');
  const all = started.move();
  return {
    databaseUrl: database.url,
    queue: settings,
    apiUrl,
    apiKey,
    post: (path, body, headers) => call(apiUrl + path, jsonRequest(body, { apikey: apiKey, ...headers })),
    get: (path) => call(apiUrl + path, { headers: { apikey: apiKey } }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A folder for uploads, made when there is one, and removed at the end. */
function mediaFolder(started: AsyncDisposableStack): string {
  const folder = join(tmpdir(), `signalbox-media-${randomUUID()}`);
  started.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function startWorker(started: AsyncDisposableStack, module: DynamicModule): Promise<void> {
  const context = await NestFactory.createApplicationContext(module, {
    logger: nestLogger(createLogger('test', 'silent')),
    abortOnError: false,
  });
  started.defer(() => context.close());
}

function jsonRequest(body: unknown, headers: Record<string, string>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

async function call(url: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(url, init);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}
