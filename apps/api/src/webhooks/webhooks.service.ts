import { randomUUIDv7 } from 'node:crypto';
import type { OldSecret, Webhook } from '@signalbox/database/webhooks/webhook.entity';
import {
  type NewWebhook,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  replaceSecret,
  updateWebhook,
} from '@signalbox/database/webhooks/webhooks';
import { newWebhookSecret } from '@signalbox/domain/webhooks/push-signature';
import { checkWebhook } from '@signalbox/domain/webhooks/rules';
import { checkEndpointAddress } from '@signalbox/gateways/address-guard';
import type { EndpointResolver } from '@signalbox/gateways/endpoint-resolver';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { CreatingCall, Creations } from '../http/creations.ts';
import type { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import { UUID } from '../http/uuid.ts';
import { changedSettings, newSettings } from './webhook-settings.ts';
import type { WebhookChange, WebhookRequest } from './webhook.dto.ts';
import { type WebhookView, newWebhookView, webhookView } from './webhook.view.ts';

/** How long a receiver may take to learn of a new secret. */
const OVERLAP_MS = 24 * 3_600_000;

/** A header holds a signature for each; who rotates more often than that in a day loses the oldest. */
const MAX_OLD_SECRETS = 4;

/** Configures where delivery reports are pushed. */
export class WebhooksService {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly resolver: EndpointResolver,
  ) {}

  /**
   * Creates a configuration with a new signing secret, which is shown in this answer only.
   *
   * @throws ApiError name_exists; invalid_request for an end point in a forbidden network; those of idempotency keys
   */
  async create(call: CreatingCall, request: WebhookRequest): Promise<WebhookView> {
    await this.requirePublicAddress(call.accountId, request.endPoint);
    const secret = newWebhookSecret();
    const webhook = this.toWebhook(call.accountId, request, secret);
    return this.creations.once(call, newWebhookView(webhook, secret), async (db) => {
      if (!(await insertWebhook(db, webhook))) throw nameExists(webhook.name);
    });
  }

  /** @throws ApiError webhook_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<WebhookView> {
    return webhookView(await this.find(accountId, id));
  }

  /**
   * Changes a configuration; what the request leaves out stays as it is.
   *
   * @throws ApiError webhook_not_found, name_exists, invalid_request
   */
  async change(accountId: string, id: string, change: WebhookChange): Promise<WebhookView> {
    if (change.endPoint !== undefined) await this.requirePublicAddress(accountId, change.endPoint);
    return this.db.transaction(async (transaction) => {
      const webhook = await lock(transaction, accountId, id);
      const settings = changedSettings(webhook, change);
      const broken = checkWebhook({ ...settings, channel: webhook.channel });
      if (broken.length > 0) throw invalidRequest(broken);
      if (!(await updateWebhook(transaction, accountId, id, settings))) throw nameExists(settings.name);
      return webhookView({ ...webhook, ...settings, updatedAt: new Date() });
    });
  }

  /**
   * Gives a configuration a new signing secret, which is shown in this answer only. For a day pushes are signed with the one before as well.
   *
   * @throws ApiError webhook_not_found; those of idempotency keys
   */
  async rotateSecret(call: CreatingCall, id: string): Promise<WebhookView> {
    const { accountId } = call;
    const webhook = await this.find(accountId, id);
    const [secret, now] = [newWebhookSecret(), new Date()];
    const view = {
      ...webhookView({ ...webhook, oldSecrets: outgoing(webhook, now), updatedAt: now }),
      secret,
    };
    return this.creations.once(call, view, async (db) => {
      const current = await lock(db, accountId, id);
      await replaceSecret(db, id, this.sealer.seal(secret), outgoing(current, now));
    });
  }

  /** Takes a configuration away; nothing is pushed to it any more. @throws ApiError webhook_not_found */
  async delete(accountId: string, id: string): Promise<void> {
    if (!UUID.test(id) || !(await deleteWebhook(this.db, accountId, id)))
      throw new ApiError('webhook_not_found');
  }

  /** A page of the account's configurations, newest first. */
  list(accountId: string, query: PageQuery): Promise<{ page: WebhookView[]; nextCursor: string | null }> {
    const read = (limit: number, before?: string) => listWebhooks(this.db, accountId, limit, before);
    return this.cursors.page('webhooks', accountId, query, read, webhookView);
  }

  /** @throws ApiError webhook_not_found */
  async find(accountId: string, id: string): Promise<Webhook> {
    const webhook = UUID.test(id) ? await findWebhook(this.db, accountId, id) : undefined;
    if (!webhook) throw new ApiError('webhook_not_found');
    return webhook;
  }

  /**
   * The address is checked again at every dial; this check tells the person who is typing.
   *
   * @throws ApiError invalid_request
   */
  async requirePublicAddress(accountId: string, endPoint: string): Promise<void> {
    if (!(await checkEndpointAddress(new URL(endPoint), this.resolver, accountId))) return;
    throw invalidRequest([
      { field: 'endPoint', rule: 'endpoint_forbidden', message: 'must be an address on the public internet' },
    ]);
  }

  private toWebhook(accountId: string, request: WebhookRequest, secret: string): NewWebhook {
    return {
      ...newSettings(request),
      id: randomUUIDv7(),
      accountId,
      channel: request.channel ?? 'sms',
      sealedSecret: this.sealer.seal(secret),
      createdAt: new Date(),
    };
  }
}

async function lock(db: EntityManager, accountId: string, id: string): Promise<Webhook> {
  const webhook = UUID.test(id) ? await lockWebhook(db, accountId, id) : undefined;
  if (!webhook) throw new ApiError('webhook_not_found');
  return webhook;
}

/** The secrets that go on signing beside a new one: the one it replaces for a day, and those whose day is not over. */
function outgoing({ sealedSecret, oldSecrets }: Webhook, now: Date): OldSecret[] {
  const replaced = {
    sealed: sealedSecret.toString('base64'),
    until: new Date(now.getTime() + OVERLAP_MS).toISOString(),
  };
  return [replaced, ...oldSecrets.filter(({ until }) => until > now.toISOString())].slice(0, MAX_OLD_SECRETS);
}

function nameExists(name: string): ApiError {
  return new ApiError('name_exists', `The account has a webhook named "${name}" already.`);
}
