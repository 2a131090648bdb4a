import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { replacedSecrets } from '@signalbox/database/core/old-secrets';
import { findGateway } from '@signalbox/database/gateways/gateways';
import { disableWebhook, enableWebhook, resetEndpoint } from '@signalbox/database/webhooks/endpoints';
import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
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
import { hostOf, isLocalName } from '@signalbox/domain/links/public-host';
import { newWebhookSecret } from '@signalbox/domain/webhooks/push-signature';
import { checkWebhook } from '@signalbox/domain/webhooks/rules';
import { RESERVED_NAMES } from '@signalbox/gateways/registry';
import { checkEndpointAddress } from '@signalbox/gateways/address-guard';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { PageQuery } from '../http/page-query.ts';
import { changedSettings, newSettings } from './webhook-settings.ts';
import type { WebhookChange, WebhookRequest } from './webhook.dto.ts';
import { type WebhookView, newWebhookView, webhookView } from './webhook.view.ts';

/** For how long a replaced secret still signs. */
const OVERLAP_MS = 24 * 3_600_000;

const GATEWAY_NAME = /^[a-z][a-z0-9-]{1,38}$/;

/** The reason of a webhook that its account disabled. */
export const DISABLED_BY_REQUEST = 'disabled by the account';

/** Manages an account's webhooks. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly client: WebhookClient,
  ) {}

  /**
   * Creates a webhook with a new signing secret, which only this answer shows.
   *
   * @throws ApiError name_exists, limit_reached; invalid_request for an endpoint in a forbidden network; those of
   * `onceLive`
   */
  create(call: LiveCall<WebhookRequest>): Promise<WebhookView> {
    return this.creations.checked(call, () => this.createChecked(call));
  }

  private async createChecked(call: LiveCall<WebhookRequest>): Promise<WebhookView> {
    const { request } = call;
    await this.requireProvider(request.provider);
    await this.requirePublicAddress(call.accountId, request.endPoint);
    const secret = newWebhookSecret();
    const webhook = this.toWebhook(call.accountId, request, secret);
    return this.creations.onceLive(call, newWebhookView(webhook, secret), async (db) => {
      await requireRoom(db, call.accountId, 'webhooks');
      if (!(await insertWebhook(db, webhook))) throw nameExists(webhook.name);
    });
  }

  /** @throws ApiError webhook_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<WebhookView> {
    return webhookView(await this.find(accountId, id));
  }

  /**
   * Changes a webhook. Omitted settings keep their values. Failures of its endpoint are forgotten when it gets another,
   * and when it is enabled.
   *
   * @throws ApiError webhook_not_found, name_exists, invalid_request; those of `requireLiveCaller`
   */
  async change(caller: Caller, id: string, change: WebhookChange): Promise<WebhookView> {
    const { accountId } = caller;
    if (changesNothing(change)) return this.get(accountId, id);
    await this.requireProvider(change.provider);
    if (change.endPoint !== undefined) await this.requirePublicAddress(accountId, change.endPoint);
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      const before = await lock(db, accountId, id);
      const webhook = changedSettings(before, change);
      const broken = checkWebhook(webhook);
      if (broken.length > 0) throw invalidRequest(broken);
      if (!(await updateWebhook(db, accountId, id, webhook))) throw nameExists(webhook.name);
      if (webhook.endPoint !== before.endPoint) await resetEndpoint(db, id);
      await enableOrDisable(db, before, change.enabled);
      return webhookView(await this.find(accountId, id, db));
    });
  }

  /**
   * Replaces the signing secret. Only this answer shows the new one. For a day, pushes carry the signature of the old
   * one, too.
   *
   * @throws ApiError webhook_not_found; those of `onceLive`
   */
  rotateSecret(call: LiveCall, id: string): Promise<WebhookView> {
    return this.creations.checked(call, () => this.replaceSecret(call, id));
  }

  private async replaceSecret(call: LiveCall, id: string): Promise<WebhookView> {
    const { accountId } = call;
    const webhook = await this.find(accountId, id);
    const [secret, now] = [newWebhookSecret(), new Date()];
    const oldSecrets = (replaced: Webhook) =>
      replacedSecrets(replaced.sealedSecret, replaced.oldSecrets, now, OVERLAP_MS);
    const view = webhookView({ ...webhook, oldSecrets: oldSecrets(webhook), updatedAt: now });
    return this.creations.onceLive(call, { ...view, secret }, async (db) => {
      const current = await lock(db, accountId, id);
      await replaceSecret(db, id, this.sealer.seal(secret, webhookRow(accountId, id)), oldSecrets(current));
    });
  }

  /** Deletes a webhook with its pending pushes. @throws ApiError webhook_not_found; those of `requireLiveCaller` */
  delete(caller: Caller, id: string): Promise<{ id: string }> {
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      await findOwn(id, () => deleteWebhook(db, caller.accountId, id), 'webhook_not_found');
      return { id };
    });
  }

  /** A page of the account's webhooks, newest first. */
  list(accountId: string, query: PageQuery): Promise<Page<WebhookView>> {
    const read = (limit: number, before?: string) => listWebhooks(this.db, accountId, limit, before);
    return this.cursors.page('webhooks', accountId, query, read, webhookView);
  }

  /** @throws ApiError webhook_not_found */
  find(accountId: string, id: string, db = this.db): Promise<Webhook> {
    return findOwn(id, () => findWebhook(db, accountId, id), 'webhook_not_found');
  }

  /** @throws ApiError invalid_request for a name that no gateway has */
  private async requireProvider(provider: string | undefined): Promise<void> {
    if (provider === undefined || provider === 'any' || RESERVED_NAMES.includes(provider)) return;
    if (GATEWAY_NAME.test(provider) && (await findGateway(this.db, provider))) return;
    const message = 'must be any or the name of a gateway';
    throw invalidRequest([{ field: 'provider', rule: 'not_allowed_value', message }]);
  }

  /**
   * Refuses an endpoint in a forbidden network early, as a courtesy to the caller. Every dial checks the address again.
   *
   * @throws ApiError invalid_request
   */
  async requirePublicAddress(accountId: string, endPoint: string): Promise<void> {
    const url = new URL(endPoint);
    if (!(await checkEndpointAddress(url, this.client.resolver, accountId))) return;
    const message = isLocalName(hostOf(url))
      ? 'must not be a name that ends in .local or .internal; use another name or the address'
      : 'must be an address on the public internet';
    throw invalidRequest([{ field: 'endPoint', rule: 'endpoint_forbidden', message }]);
  }

  private toWebhook(accountId: string, request: WebhookRequest, secret: string): NewWebhook {
    const { channel = 'sms' } = request;
    const id = randomUUIDv7();
    return {
      ...newSettings(request, channel),
      id,
      accountId,
      channel,
      sealedSecret: this.sealer.seal(secret, webhookRow(accountId, id)),
      createdAt: new Date(),
    };
  }
}

function lock(db: EntityManager, accountId: string, id: string): Promise<Webhook> {
  return findOwn(id, () => lockWebhook(db, accountId, id), 'webhook_not_found');
}

/** Does nothing for a webhook that is as it should be: a disabled one keeps its reason, an enabled one its breaker. */
async function enableOrDisable(
  db: EntityManager,
  { id, accountId, disabledAt }: Webhook,
  enabled: boolean | undefined,
): Promise<void> {
  if (enabled === true && disabledAt) await enableWebhook(db, accountId, id);
  if (enabled === false) await disableWebhook(db, id, DISABLED_BY_REQUEST);
}

function nameExists(name: string): ApiError {
  return new ApiError('name_exists', `The account has a webhook named "${name}" already.`);
}
