import { findMessage, listTimeline } from '@signalbox/database/messages';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { type MessageView, messageView } from './message.view.ts';

/** Looks up messages of an account. */
export class MessagesService {
  constructor(private readonly db: EntityManager) {}

  /** @throws ApiError message_not_found, also for another tenant's message */
  async get(accountId: string, id: string): Promise<MessageView> {
    const key = parseMessageId(id);
    const record = key && (await findMessage(this.db, accountId, key));
    if (!record) throw new ApiError('message_not_found');
    const events = record.movedBy.length === 0 ? [] : await listTimeline(this.db, accountId, record.movedBy);
    return messageView(record, events);
  }
}
