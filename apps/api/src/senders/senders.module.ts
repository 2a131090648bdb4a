import { Module } from '@nestjs/common';
import { SenderAssignmentsController } from './sender-assignments.controller.ts';
import { SendersController } from './senders.controller.ts';
import { SendersService } from './senders.service.ts';

/** Senders of accounts, and the ownership of numbers. */
@Module({ controllers: [SendersController, SenderAssignmentsController], providers: [SendersService] })
export class SendersModule {}
