import { Module } from '@nestjs/common';
import { SendingModule } from '../sending/sending.module.ts';
import { ChatSubmissionsController } from './chat-submissions.controller.ts';
import { ChatComposer } from './chat.composer.ts';
import { ChatController } from './chat.controller.ts';
import { ChatService } from './chat.service.ts';
import { ChatLookups } from './chat-lookups.ts';

/** Chat-app messages: sends, dry runs and cancellation. */
@Module({
  imports: [SendingModule],
  controllers: [ChatController, ChatSubmissionsController],
  providers: [ChatService, ChatComposer, ChatLookups],
})
export class ChatappModule {}
