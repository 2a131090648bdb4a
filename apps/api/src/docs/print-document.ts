import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { createLogger } from '@signalbox/runtime/logger';
import { AppModule } from '../app.module.ts';
import { ApiConfig } from '../config.ts';
import { createAdapter } from '../http/adapter.ts';
import { buildDocument } from './docs.ts';

/** A key that seals nothing: no provider of the application is created. */
const UNUSED_KEY = Buffer.alloc(32).toString('base64');

/** Prints the OpenAPI document of all operations. It needs no database, no queue and no settings. */
async function printDocument(): Promise<void> {
  const config = Object.assign(new ApiConfig(), { SECRETS_KEY: UNUSED_KEY, SIMULATOR_INBOX: true });
  const app = await NestFactory.create(
    AppModule.with(config, createLogger('api', 'silent')),
    createAdapter(),
    {
      preview: true,
      logger: false,
    },
  );
  process.stdout.write(`${JSON.stringify(buildDocument(app), null, 2)}\n`);
}

await printDocument();
