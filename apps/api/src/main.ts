import 'reflect-metadata';
import { awaitDatabase } from '@signalbox/messaging/worker/await-database';
import { findCrashSuspect } from '@signalbox/messaging/worker/crash-suspect';
import { whileAway } from '@signalbox/messaging/worker/while-away';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { logOutagesOnce } from '@signalbox/runtime/outage-log';
import { joinProbes } from '@signalbox/runtime/outage-probes';
import { collectProcessMetrics } from '@signalbox/runtime/process-metrics';
import { runMain } from '@signalbox/runtime/run-main';
import { onShutdown } from '@signalbox/runtime/shutdown';
import { startTracing } from '@signalbox/runtime/start-tracing';
import { createApi } from './api.ts';
import { ApiConfig } from './config.ts';
import { FileFollower } from './gateways/file-follower.ts';

const config = loadConfigOrExit(ApiConfig);
const logger = createLogger('api', config.LOG_LEVEL);

runMain(logger, async (onCrash) => {
  onCrash(findCrashSuspect);
  collectProcessMetrics();
  const endTracing = await startTracing('api', config);
  const { DATABASE_URL: url, PORT: port, HOST: host } = config;
  await awaitDatabase({ app: 'api', url, logger, port, host });
  const { start } = logOutagesOnce(logger);
  const creating = createApi(config, logger);
  const { app, listen, drain } = await start(creating, ({ probes }) => joinProbes(config, probes));
  const file = app.get(FileFollower, { strict: false });
  await whileAway(() => file.apply(process.env), { logger });
  process.on('SIGHUP', () => void file.applyAgain(process.env));
  await listen();
  logger.info({ port: config.PORT }, 'process.started');
  onShutdown(async () => {
    await drain();
    await endTracing();
  }, logger);
});
