import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { findMessage } from '@signalbox/database/messages/messages';
import {
  type Found,
  type FoundKind,
  findById,
  findByName,
  findByNumber,
} from '@signalbox/database/search/search';
import { findDelivery } from '@signalbox/database/webhooks/deliveries';
import { parseMessageId } from '@signalbox/domain/message-id';
import { wireStatus } from '@signalbox/domain/message-status';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { Scope } from '@signalbox/domain/scope';
import { parseDeliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import { UUID } from '../http/uuid.ts';
import type { FoundView } from './search.view.ts';

/** By kind of result: the scopes of which a caller needs one to see it, and its path in the API. */
const KINDS: Record<FoundKind, { scopes: readonly Scope[]; link: (id: string) => string }> = {
  send: { scopes: ['send'], link: (id) => `/v1/sends/${id}` },
  message: { scopes: ['send'], link: (id) => `/v1/messages/${id}` },
  inbound: { scopes: ['send'], link: (id) => `/v1/chatapp/inbound/${id}` },
  'sms-inbound': { scopes: ['send'], link: (id) => `/v1/sms/inbound/${id}` },
  conversation: { scopes: ['send'], link: (id) => `/v1/conversations/${escapePath(id)}` },
  number: { scopes: ['send'], link: (id) => `/v1/messages?recipient=${id}` },
  campaign: { scopes: ['send'], link: (id) => `/v1/messages?campaignName=${encodeURIComponent(id)}` },
  reference: { scopes: ['send'], link: (id) => `/v1/messages?clientRef=${encodeURIComponent(id)}` },
  'opt-out': { scopes: ['manage'], link: (id) => `/v1/opt-outs/${id}` },
  sender: {
    scopes: ['send', 'templates', 'manage'],
    link: (id) => `/v1/chat-accounts/${id.replace('/', '/senders/')}`,
  },
  webhook: { scopes: ['webhooks'], link: (id) => `/v1/webhooks/${id}` },
  delivery: { scopes: ['webhooks'], link: (id) => `/v1/webhook-deliveries/${id}` },
  template: { scopes: ['templates'], link: (id) => `/v1/chatapp/getChatTemplate?id=${id}` },
  'sms-template': { scopes: ['send', 'manage'], link: (id) => `/v1/sms/templates/${id}` },
  'chat-account': { scopes: ['send', 'templates', 'manage'], link: (id) => `/v1/chat-accounts/${id}` },
  verification: { scopes: ['verify'], link: (id) => `/v1/verify/${id}` },
  'verification-config': { scopes: ['manage'], link: (id) => `/v1/verify/configs/${id}` },
  gateway: { scopes: ['ops'], link: (id) => `/v1/gateways/${id}` },
  route: { scopes: ['ops'], link: (id) => `/v1/routes/${id}` },
};

/** Escapes each segment of a path. */
function escapePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The fewest characters of a name that are searched for. */
const MIN_NAME = 2;

/** Finds what an id, a number or a name belongs to. */
@Injectable()
export class SearchService {
  constructor(@InjectEntityManager(SEARCHES) private readonly db: EntityManager) {}

  /** Finds what the caller may see, the likeliest first. */
  async find(
    { accountId, scopes }: Pick<KeyHolder, 'accountId' | 'scopes'>,
    text: string,
  ): Promise<FoundView[]> {
    const found = await this.look(accountId, text.trim());
    return found
      .filter(({ kind }) => KINDS[kind].scopes.some((scope) => scopes.includes(scope)))
      .map(({ kind, id, label, detail }) => ({ kind, id, label, detail, link: KINDS[kind].link(id) }));
  }

  private async look(accountId: string, text: string): Promise<Found[]> {
    const key = parseMessageId(text);
    if (key) return this.message(accountId, key, text);
    const delivery = parseDeliveryId(text);
    if (delivery) return this.delivery(accountId, text, delivery);
    if (UUID.test(text)) return findById(this.db, accountId, text);
    const number = parseMsisdn(text);
    const [byNumber, byName] = await Promise.all([
      number === undefined ? [] : findByNumber(this.db, accountId, number),
      text.length < MIN_NAME ? [] : findByName(this.db, accountId, text),
    ]);
    return [...byNumber, ...byName];
  }

  private async message(
    accountId: string,
    key: { submissionId: string; n: number },
    id: string,
  ): Promise<Found[]> {
    const message = await findMessage(this.db, accountId, key);
    if (!message) return [];
    return [{ kind: 'message', id, label: message.recipient, detail: wireStatus(message.status) }];
  }

  private async delivery(
    accountId: string,
    id: string,
    key: { webhookId: string; reportId: string },
  ): Promise<Found[]> {
    const delivery = await findDelivery(this.db, accountId, key);
    if (!delivery) return [];
    return [{ kind: 'delivery', id, label: id, detail: null }];
  }
}
