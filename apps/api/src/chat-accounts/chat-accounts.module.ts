import { Module } from '@nestjs/common';
import { ChatAccountsController } from './chat-accounts.controller.ts';
import { ChatAccountsService } from './chat-accounts.service.ts';
import { ChatSendersController } from './chat-senders.controller.ts';
import { ChatSendersService } from './chat-senders.service.ts';

/** Chat accounts and their senders. */
@Module({
  controllers: [ChatAccountsController, ChatSendersController],
  providers: [ChatAccountsService, ChatSendersService],
})
export class ChatAccountsModule {}
