import { type DynamicModule, Module } from '@nestjs/common';
import { rowsProcessor } from '@signalbox/messaging/worker/rows-processor';
import { WorkerModule } from '@signalbox/messaging/worker/worker.module';
import { CHAT_QUEUES, OTP_QUEUE, SMS_QUEUES } from '@signalbox/queues/definitions';
import type { Logger } from '@signalbox/runtime/logger';
import type { OtpWorkerConfig } from './config.ts';
import { OTP_DUTIES } from './duties.ts';
import { OtpFlow } from './otp.flow.ts';
import { OtpMaker } from './otp.maker.ts';

@Module({
  providers: [
    // a job that runs again skips verifications that have their code
    rowsProcessor(OTP_QUEUE, OtpMaker, {
      table: 'verification',
      concurrency: 16,
      countedAs: 'verifications',
      run: (maker, ids) => maker.make(ids),
    }),
    OtpMaker,
    OtpFlow,
  ],
})
export class OtpWorkerModule {
  static with(config: OtpWorkerConfig, logger: Logger): DynamicModule {
    const worker = WorkerModule.with({
      name: 'otp-worker',
      fleet: 'otp',
      config,
      logger,
      commits: ['durable'], // a code must not be forgotten once its message may be on its way
      consumes: [OTP_QUEUE],
      produces: [SMS_QUEUES.OTP, CHAT_QUEUES.CHAT_OTP],
      duties: OTP_DUTIES,
      closeInOrder: [],
    });
    return { module: OtpWorkerModule, imports: [worker] };
  }
}
