import { runWorker } from '@signalbox/messaging/worker/run-worker';
import { ChatappWorkerModule } from './chatapp-worker.module.ts';
import { ChatappWorkerConfig } from './config.ts';

runWorker({ name: 'chatapp-worker', Config: ChatappWorkerConfig, module: ChatappWorkerModule });
