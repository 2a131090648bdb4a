import { Module } from '@nestjs/common';
import { QueuesController } from './queues.controller.ts';
import { QueuesService } from './queues.service.ts';

/** Queues as operators see them. */
@Module({ controllers: [QueuesController], providers: [QueuesService] })
export class QueuesModule {}
