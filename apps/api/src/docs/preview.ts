import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger } from '@signalbox/runtime/logger';
import { AppModule } from '../app.module.ts';
import { ApiConfig } from '../config.ts';
import { createAdapter } from '../http/adapter.ts';

/** A key that seals nothing: no provider of the application is created. */
const UNUSED_KEY = Buffer.alloc(32).toString('base64');

/** Creates the api with all of its operations, to be looked at. It needs no database, no queue and no settings. */
export function createPreview(): Promise<INestApplication> {
  const config = Object.assign(new ApiConfig(), { SECRETS_KEY: UNUSED_KEY, SIMULATOR_INBOX: true });
  const module = AppModule.with(config, createLogger('api', 'silent'));
  return NestFactory.create(module, createAdapter(), { preview: true, logger: false });
}
