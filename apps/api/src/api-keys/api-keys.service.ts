import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type ListedKey,
  insertKey,
  findKey,
  listKeys,
  lockKey,
  renameKey,
  replaceKey,
  revokeKey,
} from '@signalbox/database/accounts/api-keys';
import { hashApiKey, newApiKey } from '@signalbox/domain/api-key';
import { parseInstant } from '@signalbox/domain/instant';
import type { Scope } from '@signalbox/domain/scope';
import { EntityManager } from 'typeorm';
import { type Caller, actorOf } from '../auth/caller.ts';
import { withActorNames } from '../auth/actor-names.ts';
import { findExpiry } from '../auth/key-expiry.ts';
import { asLiveCaller } from '../auth/live-caller.ts';
import { RateLimiter } from '../auth/rate-limiter.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { ApiKeyRequest, RotationRequest } from './api-key.dto.ts';
import { type ApiKeyView, type NamedKey, type NewApiKeyView, apiKeyView, keyStatus } from './api-key.view.ts';

const LIST = 'api-keys';

/**
 * Manages the API keys of an account. A caller cannot create a key with more rights than their own, nor a key one that
 * outlives it.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly limiter: RateLimiter,
  ) {}

  /** A page of the keys of the account, newest first. */
  list(accountId: string, query: PageQuery): Promise<Page<ApiKeyView>> {
    const read = async (limit: number, before?: string) =>
      this.named(accountId, await listKeys(this.db, accountId, limit, before));
    return this.cursors.page(LIST, accountId, query, read, apiKeyView);
  }

  /**
   * @throws ApiError scope_missing, limit_reached, invalid_request for a late end; those of `onceLive`
   */
  async create(call: LiveCall<ApiKeyRequest>): Promise<NewApiKeyView> {
    const { name, scopes, test, expiresAt } = call.request;
    requireScopes(call.caller, scopes);
    const latest = await findExpiry(this.db, call.caller);
    const wanted = expiresAt === undefined ? undefined : parseInstant(expiresAt);
    requireWithin(latest, wanted);
    const made = newKey(call.caller, {
      name,
      scopes: [...new Set(scopes)],
      kind: test ? 'test' : 'live',
      expiresAt: wanted ?? latest,
      rateLimitPerMinute: call.caller.rateLimitPerMinute,
    });
    const view = await this.creations.onceLive(call, viewOf(made), async (db) => {
      await requireRoom(db, call.accountId, 'apiKeys');
      await insertKey(db, made.row);
      await call.caller.audit?.write(db, { target: made.row.id, after: shown(made.row) });
    });
    return requireEnd(view, latest);
  }

  /** Gives a key another name. @throws ApiError those of `asLiveCaller`, api_key_not_found */
  async rename(caller: Caller, id: string, name: string): Promise<ApiKeyView> {
    return asLiveCaller(this.db, caller, async (db) => {
      const key = await findOwn(id, () => lockKey(db, caller.accountId, id), 'api_key_not_found');
      await renameKey(db, id, name);
      await caller.audit?.write(db, { target: id, before: { name: key.name }, after: { name } });
      const [named] = await this.named(caller.accountId, [{ ...key, name }], db);
      return apiKeyView(named!);
    });
  }

  /**
   * Puts a new key with the same name, scopes and end in the place of a key, which works for some hours more. One made
   * by a key that expires expires no later, and has at most its rate limit.
   *
   * @throws ApiError api_key_not_found, api_key_ended, scope_missing, limit_reached; those of `onceLive`
   */
  async rotate(id: string, call: LiveCall<RotationRequest>): Promise<NewApiKeyView> {
    const { accountId, caller, request } = call;
    const found = await findOwn(id, () => findKey(this.db, accountId, id), 'api_key_not_found');
    const { name, scopes, prefix } = found;
    requireScopes(caller, scopes as Scope[]);
    const kind = prefix === 'sb_test_' ? 'test' : 'live';
    const latest = await findExpiry(this.db, caller);
    const made = newKey(caller, {
      name,
      scopes: scopes as Scope[],
      kind,
      expiresAt: earliest(latest, found.expiresAt),
      rateLimitPerMinute: this.lowerLimit(caller, found),
    });
    const view = await this.creations.onceLive(call, viewOf(made), async (db) => {
      requireActive(await lockKey(db, accountId, id));
      await requireRoom(db, accountId, 'apiKeys');
      await insertKey(db, made.row);
      const endsAt = await replaceKey(db, id, made.row.id, request.overlapHours);
      await caller.audit?.write(db, {
        target: id,
        after: { replacedBy: made.row.id, expiresAt: endsAt.toISOString() },
      });
    });
    return requireEnd(view, latest);
  }

  /**
   * Revokes a key; every process refuses it within a second. A repeat does no harm.
   *
   * @throws ApiError those of `asLiveCaller`, api_key_not_found
   */
  async revoke(caller: Caller, id: string): Promise<{ id: string }> {
    return asLiveCaller(this.db, caller, async (db) => {
      const key = await findOwn(id, () => lockKey(db, caller.accountId, id), 'api_key_not_found');
      await revokeKey(db, id);
      await caller.audit?.write(db, { target: id, before: shown(key), after: { revoked: true } });
      return { id };
    });
  }

  /** The limit of a key, or that of the key that rotates it if that is lower. */
  private lowerLimit(caller: Caller, rotated: ListedKey): number | null {
    if (caller.user) return rotated.rateLimitPerMinute;
    const isLower = this.limiter.limitOf(caller) < this.limiter.limitOf(rotated);
    return (isLower ? caller : rotated).rateLimitPerMinute;
  }

  private named(accountId: string, keys: ListedKey[], db = this.db): Promise<NamedKey[]> {
    const rows = keys.map((key) => ({ ...key, actor: key.createdBy ?? '' }));
    return withActorNames(db, accountId, rows).then((named) =>
      named.map(({ actor: _, actorName, ...key }) => ({ ...key, createdByName: actorName })),
    );
  }
}

type Row = Parameters<typeof insertKey>[1] & NamedKey;

function newKey(
  caller: Caller,
  wanted: {
    name: string;
    scopes: Scope[];
    kind: 'live' | 'test';
    expiresAt: Date | null;
    rateLimitPerMinute: number | null;
  },
): { key: string; row: Row } {
  const key = newApiKey(wanted.kind);
  const row = {
    id: randomUUIDv7(),
    accountId: caller.accountId,
    name: wanted.name,
    hash: hashApiKey(key),
    prefix: key.slice(0, 8),
    last4: key.slice(-4),
    scopes: wanted.scopes,
    rateLimitPerMinute: wanted.rateLimitPerMinute,
    expiresAt: wanted.expiresAt,
    revokedAt: null,
    createdBy: actorOf(caller),
    createdByName: caller.user?.name ?? caller.keyName,
    lastUsedAt: null,
    replacedBy: null,
    createdAt: new Date(),
  };
  return { key, row };
}

function viewOf({ key, row }: { key: string; row: Row }): NewApiKeyView {
  return { ...apiKeyView(row), key };
}

/** The properties of a key that the audit log shows. */
function shown({ name, scopes, prefix, last4, expiresAt }: ListedKey): object {
  return { name, scopes, prefix, last4, expiresAt };
}

/** The earlier of two ends, where null never comes. */
function earliest(a: Date | null, b: Date | null): Date | null {
  if (!a || !b) return a ?? b;
  return a < b ? a : b;
}

/** @throws ApiError scope_missing */
function requireScopes({ scopes: own }: Caller, scopes: Scope[]): void {
  const missing = scopes.find((scope) => !own.includes(scope));
  if (missing !== undefined)
    throw new ApiError('scope_missing', `You cannot give a key the scope "${missing}", which you lack.`);
}

/** @throws ApiError invalid_request */
function requireWithin(latest: Date | null, wanted: Date | undefined): void {
  if (!latest || !wanted || wanted <= latest) return;
  const message = `must be at most ${latest.toISOString()}, when the key that makes it expires`;
  throw invalidRequest([{ field: 'expiresAt', rule: 'out_of_range', message }]);
}

/** @throws ApiError api_key_ended */
function requireActive(key: ListedKey | undefined): void {
  if (!key || keyStatus(key) !== 'active') throw new ApiError('api_key_ended');
}

/**
 * Requires that a key ends by the time its maker does: a repeat of a call returns the key that the first caller made.
 *
 * @throws ApiError idempotency_key_reused
 */
function requireEnd(key: NewApiKeyView, latest: Date | null): NewApiKeyView {
  const isLate = latest && (key.expiresAt === null || new Date(key.expiresAt) > latest);
  if (isLate)
    throw new ApiError(
      'idempotency_key_reused',
      'The first call made a key that outlives yours. Use a new key.',
    );
  return key;
}
