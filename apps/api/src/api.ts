import { setTimeout } from 'node:timers/promises';
import type { Abstract } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { requireWritable } from '@signalbox/database/ops/readiness';
import { CallbackFormats } from '@signalbox/messaging/callbacks/callback-formats';
import { CallbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import { Queues } from '@signalbox/queues/open-queues';
import type { QueueBoard } from '@signalbox/queues/queue-board';
import { isPostgres } from '@signalbox/queues/queue-connection';
import { type Logger, nestLogger } from '@signalbox/runtime/logger';
import type { Probes } from '@signalbox/runtime/outage-log';
import type { FastifyInstance } from 'fastify';
import type { EntityManager } from 'typeorm';
import { AppModule } from './app.module.ts';
import { addCallbackRoutes } from './callbacks/callbacks.routes.ts';
import { AuthFailures } from './auth/auth-failures.ts';
import { Authentication } from './auth/authentication.ts';
import { CallerGuard } from './auth/caller.guard.ts';
import type { ApiConfig } from './config.ts';
import { addDashboardRoutes } from './dashboard/dashboard.routes.ts';
import { installDocs } from './docs/docs.ts';
import { createAdapter } from './http/adapter.ts';
import { serveDirectly } from './http/direct-endpoints.ts';
import { installHttpEdge } from './http/http-edge.ts';
import { addOidcRoutes } from './oidc/oidc.routes.ts';
import { ProviderSignIn } from './oidc/provider-sign-in.service.ts';
import { OpsPort } from './ops/ops-port.ts';
import { addOpsRoutes } from './ops/ops.routes.ts';
import { logRequests } from './ops/request-log.ts';
import { addQueueBoard } from './queues/queue-board.routes.ts';
import { EventStream } from './stream/event-stream.ts';
import { addStreamRoute } from './stream/stream.routes.ts';
import { ShortLinks } from './short-links/short-links.ts';
import { addShortLinkRoutes } from './short-links/short-links.routes.ts';

/** Time that a draining process still serves, so that load balancers notice before the port closes. */
const NOTICE_MS = 2_000;

/**
 * Connections that the kernel keeps until the process accepts them; net.core.somaxconn may lower it. Node's default of
 * 511 is too few for a burst: connections beyond it are delayed by a second or more, and some are reset.
 */
const BACKLOG = 4_096;

/** The HTTP API of one process. */
export interface Api {
  app: NestFastifyApplication;
  /** Opens the public port, and that of operations where they have one. */
  listen: () => Promise<void>;
  /** Checks that the database takes writes, and that the queue answers. */
  probes: Probes;
  /**
   * Turns readiness off and asks clients to reconnect elsewhere; after `noticeMs` closes the port, answers the requests
   * in progress, and enqueues what they stored.
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
  const get = <T>(type: Abstract<T>): T => app.get(type, { strict: false });
  const instance = adapter.getInstance();
  get(Authentication).install(instance);
  let draining = false;
  instance.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    done();
  });
  const db = app.get<EntityManager>(getEntityManagerToken(), { strict: false });
  serveDirectly(app, { ...installHttpEdge(app, logger), guard: get(CallerGuard) });
  installDocs(app, config.PUBLIC_URL);
  logRequests(instance, logger);
  await addPlainRoutes(instance, get, config, logger);
  const opsPort = get(OpsPort);
  addOpsRoutes(instance, opsPort, { isDraining: () => draining, isWritable: () => isWritable(db) });
  const listen = async (): Promise<void> => {
    await app.listen({ port: config.PORT, host: config.HOST, backlog: BACKLOG });
    await opsPort.open(instance.server);
  };
  const drain = async (noticeMs = NOTICE_MS): Promise<void> => {
    draining = true;
    get(EventStream).close();
    await setTimeout(noticeMs);
    opsPort.close();
    await instance.close();
    await app.close();
  };
  return {
    app,
    listen,
    drain,
    probes: { database: () => requireWritable(db), queue: () => requireQueue(get(Queues)) },
  };
}

/** Adds the routes that have no controller, because their bodies or answers are not those of the API. */
async function addPlainRoutes(
  instance: FastifyInstance,
  get: <T>(type: Abstract<T>) => T,
  config: ApiConfig,
  logger: Logger,
): Promise<void> {
  const [authentication, intake, formats] = [get(Authentication), get(CallbackIntake), get(CallbackFormats)];
  addShortLinkRoutes(instance, get(ShortLinks));
  const failures = get(AuthFailures);
  addCallbackRoutes(instance, { intake, formats, failures, publicUrl: config.PUBLIC_URL });
  addDashboardRoutes(instance);
  if (config.OIDC_ISSUER !== '') addOidcRoutes(instance, get(ProviderSignIn), logger);
  const board = await findQueueBoard(get(Queues), config, logger);
  addQueueBoard(instance, { authentication, guard: get(CallerGuard), board });
  addStreamRoute(instance, { stream: get(EventStream), authentication });
}

async function requireQueue({ all: [first] }: Queues): Promise<void> {
  await first?.requireWritable();
}

/** Loads bull-board only where it can show the queues. */
async function findQueueBoard(
  queues: Queues,
  { QUEUE_URL }: ApiConfig,
  logger: Logger,
): Promise<QueueBoard | undefined> {
  if (isPostgres(QUEUE_URL)) return undefined;
  const { createQueueBoard } = await import('@signalbox/queues/queue-board');
  return createQueueBoard(queues.all, (error) => logger.warn({ error }, 'queue_board.failed'));
}

/** True while the database takes writes. The queue is not asked: the API accepts calls without it. */
async function isWritable(db: EntityManager): Promise<boolean> {
  try {
    await requireWritable(db);
    return true;
  } catch {
    return false;
  }
}
