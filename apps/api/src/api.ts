import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { Carriers, REFRESH_CARRIERS_MS } from '@signalbox/database/ops/carriers';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import { type Logger, nestLogger } from '@signalbox/runtime/logger';
import { repeat } from '@signalbox/runtime/repeat';
import type { EntityManager } from 'typeorm';
import { AppModule } from './app.module.ts';
import { RateLimiter } from './auth/rate-limiter.ts';
import { addCallbackRoutes } from './callbacks/callbacks.routes.ts';
import type { ApiConfig } from './config.ts';
import { installDocs } from './docs/docs.ts';
import { createAdapter } from './http/adapter.ts';
import { installHttpEdge } from './http/http-edge.ts';
import { addOpsRoutes } from './ops/ops.routes.ts';
import { logRequests } from './ops/request-log.ts';
import { ShortLinks } from './short-links/short-links.ts';
import { addShortLinkRoutes } from './short-links/short-links.routes.ts';
import { SubmissionIntake } from './sending/submission-intake.ts';
import { VerifyService } from './verify/verify.service.ts';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { TemplatesService } from './templates/templates.service.ts';

/** How long a draining process goes on serving, so that a load balancer notices before the port closes. */
const NOTICE_MS = 2_000;

/** The HTTP API of one process. */
export interface Api {
  app: NestFastifyApplication;
  /**
   * Readiness off, and every answer asks its client to connect anew; then the port closes, requests under way are answered,
   * and what they stored is rung for.
   */
  drain: (noticeMs?: number) => Promise<void>;
}

/** Builds the API; it serves once the caller listens. */
export async function createApi(config: ApiConfig, logger: Logger): Promise<Api> {
  const adapter = createAdapter({}, config.TRUSTED_PROXIES);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, logger), adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  const instance = adapter.getInstance();
  let draining = false;
  instance.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    done();
  });
  const db = app.get<EntityManager>(getEntityManagerToken(), { strict: false });
  installHttpEdge(app, logger);
  installDocs(app);
  logRequests(instance, logger);
  const links = new ShortLinks(db, logger);
  addShortLinkRoutes(instance, links);
  const callbacks = app.get(CallbackIntake, { strict: false });
  addCallbackRoutes(instance, callbacks, config.callbackSecrets);
  addOpsRoutes(instance, async () => !draining && (await answers(db)));
  const operators = app.get(Carriers, { strict: false });
  const reading = repeat('read operators', REFRESH_CARRIERS_MS, () => operators.refresh(), logger);
  const drain = async (noticeMs = NOTICE_MS): Promise<void> => {
    draining = true;
    await new Promise((resolve) => setTimeout(resolve, noticeMs));
    await instance.close();
    await reading.stop();
    await app.get(SubmissionIntake, { strict: false }).close();
    await app.get(VerifyService, { strict: false }).close();
    await links.close();
    await callbacks.close();
    await app.get(WebhookClient, { strict: false }).close();
    await app.get(TemplatesService, { strict: false }).close();
    app.get(RateLimiter, { strict: false }).close();
    await app.close();
  };
  return { app, drain };
}

/** The queue does not count: without it the API accepts all the same. */
async function answers(db: EntityManager): Promise<boolean> {
  try {
    await db.query('SELECT 1');
    return true;
  } catch {
    return false;
  }
}
