import type { OptOut } from '@signalbox/database/accounts/opt-outs';

/** An opt-out as the API shows it. */
export interface OptOutView {
  id: string;
  recipient: string;
  /** Null for all senders of the account. */
  sender: string | null;
  source: string;
  reason: string | null;
  createdAt: string;
}

export function optOutView({ id, recipient, sender, source, reason, createdAt }: OptOut): OptOutView {
  return { id, recipient, sender: sender || null, source, reason, createdAt: createdAt.toISOString() };
}
