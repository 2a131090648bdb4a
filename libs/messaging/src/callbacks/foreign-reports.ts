import type { GatewayOptOut } from '@signalbox/database/gateways/inbound-sms';
import { type NamedMessage, listForeign } from '@signalbox/database/reports/foreign-reports';
import type { NewReport } from '@signalbox/database/reports/reports';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';

/** Contents of a callback that name messages by our id. */
export interface NamingCallback {
  gateway: string;
  reports: NewReport[];
  optOuts: GatewayOptOut[];
  problems: string[];
}

/**
 * Leaves out what callbacks say of messages that another gateway has: a vendor may know an id of ours that it was never
 * given a message for. Their number becomes a problem of the callback.
 */
export async function leaveOutForeign<Callback extends NamingCallback>(
  db: EntityManager,
  callbacks: Callback[],
): Promise<Callback[]> {
  const named = callbacks.flatMap(({ gateway, reports, optOuts }) =>
    [...reports, ...optOuts].map(({ submissionId, n }) => ({ gateway, submissionId, n })),
  );
  if (named.length === 0) return callbacks;
  const foreign = new Set((await listForeign(db, named)).map(keyOf));
  if (foreign.size === 0) return callbacks;
  return callbacks.map((callback) => {
    const isOwn = ({ submissionId, n }: MessageKey): boolean =>
      !foreign.has(keyOf({ gateway: callback.gateway, submissionId, n }));
    const reports = callback.reports.filter(isOwn);
    const count = callback.reports.length - reports.length;
    if (count === 0) return callback;
    const problem = `Reports about messages of another gateway: ${count}.`;
    const optOuts = callback.optOuts.filter(isOwn);
    return { ...callback, reports, optOuts, problems: [...callback.problems, problem] };
  });
}

function keyOf({ gateway, submissionId, n }: NamedMessage): string {
  return `${submissionId} ${n} ${gateway}`;
}
