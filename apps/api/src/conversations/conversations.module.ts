import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { MessagesModule } from '../messages/messages.module.ts';
import { ConversationsController } from './conversations.controller.ts';
import { ConversationsService } from './conversations.service.ts';

/** Conversations with those who wrote to an account. */
@Module({
  imports: [AuthModule, MessagesModule],
  controllers: [ConversationsController],
  providers: [ConversationsService],
})
export class ConversationsModule {}
