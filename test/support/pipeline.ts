import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { DynamicModule } from '@nestjs/common';
import { newApiKey } from '@signalbox/domain/api-key';
import { seedDemo } from '@signalbox/database/accounts/seed';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import type { SmsGateway } from '@signalbox/gateways/sms-gateway';
import { loadConfig } from '@signalbox/runtime/load-config';
import { type Logger, createLogger, nestLogger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
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
import type { QueueBackend, QueueSettings } from './queue.ts';
import { openRows } from './rows.ts';

/** The key of every pipeline in this process. */
export const SECRETS_KEY = randomBytes(32).toString('base64');
const OTP_PEPPER = randomBytes(32).toString('base64');

export interface Answered<B = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: B;
}

/** The whole service in this process, on its own database and queue. */
export interface Pipeline extends AsyncDisposable {
  databaseUrl: string;
  db: EntityManager;
  queue: QueueSettings;
  apiUrl: string;
  apiKey: string;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answered>;
  /** Posts a send and resolves with its id. @throws Error when it is not accepted */
  send: (path: string, body: object) => Promise<string>;
  get: (path: string) => Promise<Answered>;
}

export interface PipelineOptions {
  queue: QueueBackend;
  gateway?: SmsGateway;
  /** Kinds of gateways of the sms-worker, instead of those of the registry. */
  kinds?: readonly GatewayKind[] | undefined;
  env?: Record<string, string>;
  /** Fills the database before the apps start. */
  prepare?: (databaseUrl: string) => Promise<void>;
  /**
   * Receives each log line, at every level. By default logs are written to stdout at TEST_LOG_LEVEL, silent if unset.
   */
  onLogLine?: (line: string) => void;
  /** Workers to run; a name given twice runs two. By default sms and dlr. */
  workers?: WorkerName[];
}

type WorkerName = 'sms' | 'dlr' | 'otp' | 'chatapp';

/** The environment of the apps. */
interface Settings extends QueueSettings {
  LOG_LEVEL: string;
  [name: string]: string;
}

interface WorkerContext {
  settings: Settings;
  logger: Logger;
  gateway: SmsGateway | undefined;
  kinds: readonly GatewayKind[] | undefined;
}

/** Starts the API and its workers: `await using p = await startPipeline({ queue })`. */
export async function startPipeline({
  queue,
  gateway,
  kinds,
  prepare,
  env = {},
  onLogLine,
  workers = ['sms', 'dlr'],
}: PipelineOptions): Promise<Pipeline> {
  await using started = new AsyncDisposableStack();
  const { url: databaseUrl, db } = started.use(await openRows());
  const apiKey = newApiKey('test');
  await seedDemo(databaseUrl, apiKey);
  await prepare?.(databaseUrl);
  const settings = { ...settingsOf(databaseUrl, queue), MEDIA_DIR: mediaFolder(started), ...env };
  const logger = onLogLine
    ? createLogger('test', 'debug', { write: onLogLine })
    : createLogger('test', settings.LOG_LEVEL);
  for (const worker of workers)
    await startWorker(started, workerModule(worker, { settings, logger, gateway, kinds }));
  const api = await createApi(loadConfig(ApiConfig, settings), logger);
  started.defer(() => api.drain(0));
  await api.listen();
  const apiUrl = (await api.app.getUrl()).replace('[::1]', '127.0.0.1');
  const all = started.move();
  return {
    databaseUrl,
    db,
    queue: settings,
    apiUrl,
    apiKey,
    post: (path, body, headers) => call(apiUrl + path, jsonRequest(body, { apikey: apiKey, ...headers })),
    send: async (path, message) => {
      const { status, body } = await call(apiUrl + path, jsonRequest(message, { apikey: apiKey }));
      if (typeof body['id'] !== 'string') throw new Error(`not accepted: ${status} ${JSON.stringify(body)}`);
      return body['id'];
    },
    get: (path) => call(apiUrl + path, { headers: { apikey: apiKey } }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function settingsOf(databaseUrl: string, queue: QueueBackend): Settings {
  return {
    DATABASE_URL: databaseUrl,
    ...queue.settings(databaseUrl),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    SECRETS_KEY,
    OTP_PEPPER,
    ALLOW_PRIVATE_WEBHOOKS: '1',
    SENDER_REGISTRATION: 'open',
    QUIET_HOURS: 'none',
    AUTH_FAILURES_PER_MINUTE: '1000000',
    PUBLIC_URL: 'https://sgnl.example',
  };
}

function workerModule(
  worker: WorkerName,
  { settings, logger, gateway, kinds }: WorkerContext,
): DynamicModule {
  switch (worker) {
    case 'chatapp':
      return ChatappWorkerModule.with(loadConfig(ChatappWorkerConfig, settings), logger);
    case 'dlr':
      return DlrWorkerModule.with(loadConfig(DlrWorkerConfig, settings), logger);
    case 'otp':
      return OtpWorkerModule.with(loadConfig(OtpWorkerConfig, settings), logger);
    case 'sms':
      return SmsWorkerModule.with(loadConfig(SmsWorkerConfig, settings), logger, gateway, kinds);
  }
}

/** A folder for uploads, created with the first upload and removed at the end. */
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
