import type { KeyObject } from 'node:crypto';
import { sealedSecrets } from '@signalbox/database/webhooks/webhook.entity';
import { type WebhookTarget, listPushTargets } from '@signalbox/database/webhooks/pushes';
import { secretKey } from '@signalbox/domain/webhooks/push-signature';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { type OpenTarget, openTarget } from './push-call.ts';

/** Enough for every webhook in use; when it is full it starts over. */
const MAX_KEPT = 10_000;

/** The webhooks of accounts, read anew for each batch so that a change counts at once; only opened secrets are kept. */
export class PushTargets {
  private readonly secrets = new Map<string, KeyObject>();

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /** The targets of each account; an account without any is missing. */
  async of(accountIds: readonly string[]): Promise<Map<string, OpenTarget[]>> {
    const targets = accountIds.length === 0 ? [] : await listPushTargets(this.db, [...new Set(accountIds)]);
    const now = new Date();
    return Map.groupBy(
      targets.map((target) => openTarget(target, this.secretsOf(target, now))),
      (target) => target.accountId,
    );
  }

  /**
   * The secret, and those that it replaced not long ago. One that cannot be opened with the keys of this process must not stop the
   * other webhooks of its batch; without the newest one there are none.
   */
  private secretsOf(target: WebhookTarget, now: Date): KeyObject[] {
    const [newest, ...older] = sealedSecrets(target, now).map((sealed) => this.opened(sealed));
    return newest ? [newest, ...older.filter((secret) => secret !== undefined)] : [];
  }

  private opened(sealed: Buffer): KeyObject | undefined {
    const id = sealed.toString('latin1');
    const known = this.secrets.get(id);
    if (known || !this.sealer.canOpen(sealed)) return known;
    const secret = secretKey(this.sealer.open(sealed));
    if (this.secrets.size >= MAX_KEPT) this.secrets.clear();
    this.secrets.set(id, secret);
    return secret;
  }
}
