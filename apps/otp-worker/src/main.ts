import { runWorker } from '@signalbox/messaging/worker/run-worker';
import { OtpWorkerConfig } from './config.ts';
import { OtpWorkerModule } from './otp-worker.module.ts';

runWorker({ name: 'otp-worker', Config: OtpWorkerConfig, module: OtpWorkerModule });
