import 'reflect-metadata';
import { randomUUIDv7 } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { hashApiKey } from '@signalbox/domain/api-key';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { createLogger } from '@signalbox/runtime/logger';
import { answerCommands } from './side-process.ts';

/*
 * POST /v1/sms as the api serves it, without database and queue: the same adapter, edge, request log, guard, key cache, rate limit (counted
 * in memory), DTO and controller, as they were compiled for the api, and a service that answers immediately.
 */

/** Imports the compiled api: Node does not run the decorators of its sources. */
const ofApi = <M>(path: string): Promise<M> =>
  import(join(import.meta.dirname, '../apps/api/dist', path)) as Promise<M>;

const { createAdapter } = await ofApi<typeof import('../apps/api/src/http/adapter.ts')>('http/adapter.js');
const { installHttpEdge } =
  await ofApi<typeof import('../apps/api/src/http/http-edge.ts')>('http/http-edge.js');
const { logRequests } =
  await ofApi<typeof import('../apps/api/src/ops/request-log.ts')>('ops/request-log.js');
const { AuditLog } = await ofApi<typeof import('../apps/api/src/auth/audit-log.ts')>('auth/audit-log.js');
const { OpsPort } = await ofApi<typeof import('../apps/api/src/ops/ops-port.ts')>('ops/ops-port.js');
const { CallerGuard } =
  await ofApi<typeof import('../apps/api/src/auth/caller.guard.ts')>('auth/caller.guard.js');
const { AuthFailures } =
  await ofApi<typeof import('../apps/api/src/auth/auth-failures.ts')>('auth/auth-failures.js');
const { Authentication } =
  await ofApi<typeof import('../apps/api/src/auth/authentication.ts')>('auth/authentication.js');
const { KeyCache } = await ofApi<typeof import('../apps/api/src/auth/key-cache.ts')>('auth/key-cache.js');
const { RateGate } = await ofApi<typeof import('../apps/api/src/auth/rate-gate.ts')>('auth/rate-gate.js');
const { RateLimiter } =
  await ofApi<typeof import('../apps/api/src/auth/rate-limiter.ts')>('auth/rate-limiter.js');
const { SmsController } =
  await ofApi<typeof import('../apps/api/src/sms/sms.controller.ts')>('sms/sms.controller.js');
const { SmsService } = await ofApi<typeof import('../apps/api/src/sms/sms.service.ts')>('sms/sms.service.js');
const { sendResult } =
  await ofApi<typeof import('../apps/api/src/sending/send-result.ts')>('sending/send-result.js');

const apiKey = process.env['BENCH_API_KEY'] ?? '';
const holder = {
  hash: hashApiKey(apiKey),
  keyId: randomUUIDv7(),
  keyName: 'bench',
  accountId: randomUUIDv7(),
  accountStatus: 'active',
  scopes: ['send'],
  rateLimitPerMinute: null,
  isPaced: false,
  isTest: true,
};

/** The only statement: finds the account of the key. */
const database = { query: () => Promise.resolve([holder]) };

const sms: Pick<InstanceType<typeof SmsService>, 'accept'> = {
  accept: (_caller, { recipients, unicode, flash }) =>
    Promise.resolve(sendResult(randomUUIDv7(), recipients, { unicode: unicode === 1, flash: flash === 1 })),
};

class NoopModule {}

const config = {
  QUEUE_PREFIX: 'bench',
  RATE_LIMIT_PER_MINUTE: 1_000_000_000,
  AUTH_FAILURES_PER_MINUTE: 20,
} as never;
const adapter = createAdapter();
const opsPort = new OpsPort({ OPS_PORT: 0 } as never);
const keys = new KeyCache(database as never, { mark: () => undefined } as never);
const rate = new RateGate(new RateLimiter(undefined, config));
new Authentication(keys, {} as never, new AuthFailures(config), opsPort, rate).install(adapter.getInstance());
const module = {
  module: NoopModule,
  controllers: [SmsController],
  providers: [
    { provide: KeyCache, useValue: keys },
    { provide: RateGate, useValue: rate },
    { provide: 'APP_GUARD', useClass: CallerGuard },
    { provide: AuditLog, useValue: {} },
    { provide: OpsPort, useValue: opsPort },
    { provide: AccountThrottle, useValue: new AccountThrottle() },
    { provide: SmsService, useValue: sms },
  ],
};
const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
  bodyParser: false,
  logger: false,
});
const logger = createLogger('bench', 'warn');
installHttpEdge(app, logger);
logRequests(adapter.getInstance(), logger);
await app.listen(0, '127.0.0.1');
const { port } = app.getHttpServer().address() as AddressInfo;
answerCommands({ url: () => `http://127.0.0.1:${port}` });
