import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Logger } from '@signalbox/runtime/logger';
import { ApiConfig } from '../config.ts';
import { ApiKeyGuard } from './api-key.guard.ts';
import { AuthFailures } from './auth-failures.ts';
import { Authentication } from './authentication.ts';
import { KeyCache } from './key-cache.ts';
import { RateGate } from './rate-gate.ts';
import { RateLimiter } from './rate-limiter.ts';
import { openRedis } from './redis.ts';

/** API keys, their scopes and their rate limits. The guard covers every endpoint of every module. */
@Module({
  providers: [
    KeyCache,
    Authentication,
    {
      provide: AuthFailures,
      inject: [ApiConfig],
      useFactory: (config: ApiConfig) => new AuthFailures(config.AUTH_FAILURES_PER_MINUTE),
    },
    RateGate,
    {
      provide: RateLimiter,
      inject: [ApiConfig, Logger],
      useFactory: (config: ApiConfig, logger: Logger) =>
        new RateLimiter(
          openRedis(config.QUEUE_URL, logger),
          config.QUEUE_PREFIX,
          config.RATE_LIMIT_PER_MINUTE,
        ),
    },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
  ],
  exports: [RateGate, RateLimiter],
})
export class AuthModule {}
