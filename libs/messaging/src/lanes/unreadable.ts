import { noteRowFailures } from '@signalbox/database/ops/row-failures';
import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { submissionRow } from '@signalbox/domain/sealed-rows';
import type { Logger } from '@signalbox/runtime/logger';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** Number of submissions that a log line names. */
const MAX_NAMED = 10;

/** Reason why a claimed message cannot be rendered. */
export type UnreadableReason =
  | 'sealed_with_another_key'
  | 'sealed_value_damaged'
  | 'template_unusable'
  | 'content_invalid';

/** Thrown while one message is rendered; it never leaves the renderer. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';

  constructor(readonly reason: UnreadableReason) {
    super(reason);
  }
}

/** Opens the text or code of a submission. @throws UnreadableError */
export function openSealed(
  sealer: Sealer,
  sealed: Buffer,
  { accountId, submissionId }: { accountId: string; submissionId: string },
): string {
  const text = sealer.tryOpen(sealed, submissionRow(accountId, submissionId));
  if (text !== undefined) return text;
  throw new UnreadableError(sealer.canOpen(sealed) ? 'sealed_value_damaged' : 'sealed_with_another_key');
}

/**
 * Sets aside the messages of one batch that cannot be rendered, whatever is wrong with their rows. They stay pending,
 * and are parked after the last start.
 */
export class UnreadableMessages {
  private readonly reasons = new Map<UnreadableReason, { submissionIds: Set<string>; error: unknown }>();

  constructor(private readonly logger: Logger) {}

  /** Returns what `render` returns, in a list; an empty list when it throws. */
  setAside<R>(submissionId: string, render: () => R): R[] {
    try {
      return [render()];
    } catch (error) {
      const reason = error instanceof UnreadableError ? error.reason : 'content_invalid';
      const { submissionIds } = getOrInsert(this.reasons, reason, () => ({
        submissionIds: new Set<string>(),
        error,
      }));
      submissionIds.add(submissionId);
      return [];
    }
  }

  /** Writes one line per reason, and notes the reason of each submission. A note that fails is left out. */
  async report(db: EntityManager): Promise<void> {
    this.log();
    for (const [reason, { submissionIds }] of this.reasons)
      await noteRowFailures(db, 'message', [...submissionIds], reason).catch(() => undefined);
  }

  private log(): void {
    for (const [reason, { submissionIds, error }] of this.reasons) {
      const named = [...submissionIds].slice(0, MAX_NAMED);
      const fields = { reason, submissions: submissionIds.size, submissionIds: named };
      this.logger.error(reason === 'content_invalid' ? { ...fields, error } : fields, 'message.unreadable');
    }
  }
}
