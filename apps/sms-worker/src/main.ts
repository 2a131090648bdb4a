import { runWorker } from '@signalbox/messaging/worker/run-worker';
import { SmsWorkerConfig } from './config.ts';
import { SmsWorkerModule } from './sms-worker.module.ts';

runWorker({ name: 'sms-worker', Config: SmsWorkerConfig, module: SmsWorkerModule });
