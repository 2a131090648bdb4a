import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Logger } from '@signalbox/runtime/logger';
import { ApiConfig } from '../config.ts';
import { OpsPort } from '../ops/ops-port.ts';
import { AuditLog } from './audit-log.ts';
import { AuthFailures } from './auth-failures.ts';
import { Authentication } from './authentication.ts';
import { CallerGuard } from './caller.guard.ts';
import { KeyCache } from './key-cache.ts';
import { KeyUses } from './key-uses.ts';
import { RateGate } from './rate-gate.ts';
import { RateLimiter } from './rate-limiter.ts';
import { COUNTER_REDIS, openCounters } from './redis.ts';
import { SessionCallers } from './session-callers.ts';

/** API keys and sessions, their scopes, their rate limits and the audit log. The guard covers every endpoint. */
@Module({
  providers: [
    AuditLog,
    KeyCache,
    KeyUses,
    SessionCallers,
    OpsPort,
    Authentication,
    AuthFailures,
    RateGate,
    {
      provide: COUNTER_REDIS,
      inject: [ApiConfig, Logger],
      useFactory: (config: ApiConfig, logger: Logger) => openCounters(config.QUEUE_URL, logger),
    },
    RateLimiter,
    CallerGuard,
    { provide: APP_GUARD, useExisting: CallerGuard },
  ],
  exports: [Authentication, AuthFailures, OpsPort, RateGate, RateLimiter, COUNTER_REDIS],
})
export class AuthModule {}
