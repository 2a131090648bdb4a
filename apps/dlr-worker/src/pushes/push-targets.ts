import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sealedSecrets } from '@signalbox/database/webhooks/webhook.entity';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import { type WebhookTarget, listPushTargets } from '@signalbox/database/webhooks/push-targets';
import { secretKey } from '@signalbox/domain/webhooks/push-signature';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import { LruMap } from '@signalbox/runtime/lru-map';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { type OpenTarget, openTarget } from './open-target.ts';

/** Minimum number of opened secrets that are kept in memory, and half of the maximum. */
const MIN_SECRETS = 10_000;

/** Milliseconds for which webhooks that were read serve further reports. */
const FRESH_MS = 500;

/** Minimum number of accounts whose webhooks are kept in memory, and half of the maximum. */
const MIN_ACCOUNTS = 10_000;

/** The webhooks of an account, as they were read. */
interface Reading {
  targets: OpenTarget[];
  /** When the statement began, as `Date.now()`. */
  readAt: number;
  /** The end of its use, by `performance.now()`. */
  freshUntil: number;
}

/**
 * Reads the webhooks of accounts. The first pushes of reports share a reading for half a second at most, so that a
 * change takes effect within that time.
 */
@Injectable()
export class PushTargets {
  private readonly secrets = new LruMap<string, KeyObject>(MIN_SECRETS);
  private readonly readings = new LruMap<string, Reading>(MIN_ACCOUNTS);

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Maps the accounts of reports to their targets. A reading serves for half a second, and only messages accepted
   * before it. So a webhook created before a message gets its reports, if the clocks of this host and of Postgres agree.
   */
  async ofReports(
    reports: readonly Pick<AppliedReport, 'accountId' | 'acceptedAt'>[],
  ): Promise<Map<string, OpenTarget[]>> {
    const readAt = Date.now();
    const now = performance.now();
    const targets = new Map<string, OpenTarget[]>();
    const stale = new Set<string>();
    for (const { accountId, acceptedAt } of reports) {
      const known = this.readings.get(accountId);
      if (known && known.freshUntil > now && known.readAt > acceptedAt.getTime())
        targets.set(accountId, known.targets);
      else stale.add(accountId);
    }
    if (stale.size === 0) return targets;
    const read = await this.of([...stale]);
    for (const accountId of stale) {
      const reading = { targets: read.get(accountId) ?? [], readAt, freshUntil: now + FRESH_MS };
      this.readings.set(accountId, reading);
      targets.set(accountId, reading.targets);
    }
    return targets;
  }

  /** Maps accounts to their targets, as they are now; an account without webhooks is missing. */
  async of(accountIds: readonly string[]): Promise<Map<string, OpenTarget[]>> {
    const targets = accountIds.length === 0 ? [] : await listPushTargets(this.db, [...new Set(accountIds)]);
    const now = new Date();
    return Map.groupBy(
      targets.map((target) => this.opened(target, now)),
      (target) => target.accountId,
    );
  }

  /**
   * The target has no secrets when the settings of the webhook are invalid: its pushes fail until they are repaired.
   */
  private opened(target: WebhookTarget, now: Date): OpenTarget {
    if (!hasValidSettings(target)) return openTarget({ ...target, filters: {}, headers: [] }, []);
    return openTarget(target, this.secretsOf(target, now));
  }

  /**
   * The secret, and recently replaced ones; empty when the newest does not open. A secret that is damaged, or sealed
   * with an unknown key, fails the pushes of its webhook only.
   */
  private secretsOf(target: WebhookTarget, now: Date): KeyObject[] {
    const [newest, ...older] = sealedSecrets(target, now).map((sealed) => this.open(target, sealed));
    return newest ? [newest, ...older.filter((secret) => secret !== undefined)] : [];
  }

  private open({ accountId, id }: WebhookTarget, sealed: Buffer): KeyObject | undefined {
    const name = `${id} ${sealed.toString('latin1')}`;
    const known = this.secrets.get(name);
    if (known) return known;
    const text = this.sealer.tryOpen(sealed, webhookRow(accountId, id));
    if (text === undefined) return undefined;
    const secret = secretKey(text);
    this.secrets.set(name, secret);
    return secret;
  }
}

/** True when the lists of a webhook are lists. */
function hasValidSettings({ filters, headers, oldSecrets }: WebhookTarget): boolean {
  return (
    [headers, oldSecrets].every((list) => Array.isArray(list)) &&
    typeof filters === 'object' &&
    Object.values(filters ?? [null]).every((list) => Array.isArray(list))
  );
}
