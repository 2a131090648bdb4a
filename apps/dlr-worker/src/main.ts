import { runWorker } from '@signalbox/messaging/worker/run-worker';
import { DlrWorkerConfig } from './config.ts';
import { findCrashCause } from './pushes/crash-cause.ts';
import { DlrWorkerModule } from './dlr-worker.module.ts';

runWorker({ name: 'dlr-worker', Config: DlrWorkerConfig, module: DlrWorkerModule, findCrashCause });
