import { MAX_COUNTED, type Replay } from '@signalbox/database/webhooks/replays';

/** A replay and its progress. A preview has neither id nor status. */
export interface ReplayView {
  id: string | null;
  webhookId: string;
  status: string | null;
  from: string;
  to: string;
  statuses: string[];
  ratePerSecond: number;
  /** Deliveries in the range at the start, counted up to `countedTo`. */
  total: number;
  countedTo: number;
  replayed: number;
  createdAt: string;
  finishedAt: string | null;
}

export function replayView({
  from,
  to,
  statuses,
  createdAt,
  finishedAt,
  status,
  ...rest
}: Replay): ReplayView {
  return {
    ...rest,
    status: status.toLowerCase(),
    from: from.toISOString(),
    to: to.toISOString(),
    statuses: statuses.map((each) => each.toLowerCase()),
    countedTo: MAX_COUNTED,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
