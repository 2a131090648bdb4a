import { randomUUIDv7 } from 'node:crypto';
import { takeKey } from '@signalbox/database/creations';
import type { OldSecret, Webhook } from '@signalbox/database/entities/webhook';
import {
  type NewWebhook,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  replaceSecret,
  updateWebhook,
} from '@signalbox/database/webhooks';
import { newWebhookSecret } from '@signalbox/domain/push-signature';
import { checkWebhook } from '@signalbox/domain/webhook-rules';
import { checkEndPointAddress } from '@signalbox/gateways/address-guard';
import type { Sealer } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import { type IdempotencyKeys, type KeyedCall, replayed } from '../http/idempotency.ts';
import { UUID } from '../http/uuid.ts';
import { changedSettings, newSettings } from './webhook-settings.ts';
import type { WebhookChange, WebhookRequest } from './webhook.dto.ts';
import { type WebhookView, newWebhookView, webhookView } from './webhook.view.ts';

const WEBHOOKS_PATH = '/v1/webhooks';

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
    private readonly keys: IdempotencyKeys,
    private readonly allowPrivate: boolean,
  ) {}

  /**
   * Creates a configuration with a new signing secret, which is shown in this answer only.
   *
   * @throws ApiError name_exists; invalid_request for an end point in a forbidden network; those of idempotency keys
   */
  async create(accountId: string, request: WebhookRequest, idempotencyKey: string | undefined, reply: FastifyReply): Promise<WebhookView> {
    const call = this.keys.read(WEBHOOKS_PATH, idempotencyKey, request);
    await this.requirePublicAddress(request.endPoint);
    const secret = newWebhookSecret();
    const webhook = this.toWebhook(accountId, request, secret);
    const view = newWebhookView(webhook, secret);
    return this.db.transaction(async (transaction) => {
      const repeat = call && (await this.firstAnswer(transaction, accountId, call, view, reply));
      if (repeat) return repeat;
      if (!(await insertWebhook(transaction, webhook))) throw nameExists(webhook.name);
      return view;
    });
  }

  /** @throws ApiError webhook_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<WebhookView> {
    const webhook = UUID.test(id) ? await findWebhook(this.db, accountId, id) : undefined;
    if (!webhook) throw new ApiError('webhook_not_found');
    return webhookView(webhook);
  }

  /**
   * Changes a configuration; what the request leaves out stays as it is.
   *
   * @throws ApiError webhook_not_found, name_exists, invalid_request
   */
  async change(accountId: string, id: string, change: WebhookChange): Promise<WebhookView> {
    if (change.endPoint !== undefined) await this.requirePublicAddress(change.endPoint);
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
  async rotateSecret(accountId: string, id: string, idempotencyKey: string | undefined, reply: FastifyReply): Promise<WebhookView> {
    const call = this.keys.read(`${WEBHOOKS_PATH}/${id}/rotate-secret`, idempotencyKey, {});
    const secret = newWebhookSecret();
    return this.db.transaction(async (transaction) => {
      const webhook = await lock(transaction, accountId, id);
      const oldSecrets = outgoing(webhook, new Date());
      const view = { ...webhookView({ ...webhook, oldSecrets, updatedAt: new Date() }), secret };
      const repeat = call && (await this.firstAnswer(transaction, accountId, call, view, reply));
      if (repeat) return repeat;
      await replaceSecret(transaction, id, this.sealer.seal(secret), oldSecrets);
      return view;
    });
  }

  /** Takes a configuration away; nothing is pushed to it any more. @throws ApiError webhook_not_found */
  async delete(accountId: string, id: string): Promise<void> {
    if (!UUID.test(id) || !(await deleteWebhook(this.db, accountId, id))) throw new ApiError('webhook_not_found');
  }

  /** A page of the account's configurations, newest first. */
  async list(accountId: string, { limit, cursor }: PageQuery): Promise<{ page: WebhookView[]; nextCursor: string | null }> {
    const before = cursor === undefined ? undefined : this.cursors.decode('webhooks', accountId, cursor);
    const found = await listWebhooks(this.db, accountId, limit + 1, before);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = found.length > limit && last ? this.cursors.encode('webhooks', accountId, last.id) : null;
    return { page: page.map((webhook) => webhookView(webhook)), nextCursor };
  }

  /** The answer is kept sealed, since it shows the secret. */
  private async firstAnswer(
    db: EntityManager,
    accountId: string,
    call: KeyedCall,
    view: WebhookView,
    reply: FastifyReply,
  ): Promise<WebhookView | undefined> {
    const first = await takeKey(db, accountId, call, this.sealer.seal(JSON.stringify(view)));
    return first && replayed(reply, call, first, JSON.parse(this.sealer.open(first.sealedAnswer)) as WebhookView);
  }

  /** The address is checked again at every dial; this check tells the person who is typing. */
  private async requirePublicAddress(endPoint: string): Promise<void> {
    if (!(await checkEndPointAddress(new URL(endPoint), { allowPrivate: this.allowPrivate }))) return;
    throw invalidRequest([{ field: 'endPoint', rule: 'endpoint_forbidden', message: 'must be an address on the public internet' }]);
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
  const replaced = { sealed: sealedSecret.toString('base64'), until: new Date(now.getTime() + OVERLAP_MS).toISOString() };
  return [replaced, ...oldSecrets.filter(({ until }) => until > now.toISOString())].slice(0, MAX_OLD_SECRETS);
}

function nameExists(name: string): ApiError {
  return new ApiError('name_exists', `The account has a webhook named "${name}" already.`);
}
