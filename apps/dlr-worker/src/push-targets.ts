import type { KeyObject } from 'node:crypto';
import { listPushTargets } from '@signalbox/database/pushes';
import { secretKey } from '@signalbox/domain/push-signature';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { type OpenTarget, openTarget } from './push-call.ts';

/** The webhooks of accounts, read anew for each batch so that a change counts at once; only opened secrets are kept. */
export class PushTargets {
  private readonly secrets = new Map<string, { sealed: Buffer; secret: KeyObject }>();

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /** The targets of each account; an account without any is missing. */
  async of(accountIds: readonly string[]): Promise<Map<string, OpenTarget[]>> {
    const targets = accountIds.length === 0 ? [] : await listPushTargets(this.db, [...new Set(accountIds)]);
    return Map.groupBy(
      targets.map((target) => openTarget(target, this.secretOf(target.id, target.sealedSecret))),
      (target) => target.accountId,
    );
  }

  /** One webhook whose secret was sealed with another key must not stop the others of its batch. */
  private secretOf(webhookId: string, sealed: Buffer): KeyObject | null {
    const known = this.secrets.get(webhookId);
    if (known?.sealed.equals(sealed)) return known.secret;
    if (!this.sealer.canOpen(sealed)) return null;
    const secret = secretKey(this.sealer.open(sealed));
    this.secrets.set(webhookId, { sealed, secret });
    return secret;
  }
}
