/** Pushes that an endpoint of an account can take now. */
export interface Room {
  webhookId: string;
  accountId: string;
  room: number;
}

/**
 * Slots for the retries of this process, shared between accounts. An account gets at most its share, and one share
 * stays free for an account that comes next: webhooks whose calls hang can fill the slots of that account only.
 */
export class RetrySlots {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(private readonly max: number) {}

  take(accountId: string, count: number): void {
    if (count === 0) return;
    this.total += count;
    this.taken.set(accountId, this.takenBy(accountId) + count);
  }

  free(accountId: string): void {
    const rest = this.takenBy(accountId) - 1;
    this.total -= 1;
    if (rest > 0) this.taken.set(accountId, rest);
    else this.taken.delete(accountId);
  }

  /** Scales rooms down to the share of each account. An account without a push in progress gets at least one slot. */
  fit(rooms: readonly Room[]): Room[] {
    const byAccount = Map.groupBy(rooms, ({ accountId }) => accountId);
    const accounts = new Set([...byAccount.keys(), ...this.taken.keys()]).size;
    const share = Math.max(1, Math.floor(this.max / (accounts + 1)));
    let left = this.max - this.total;
    const fitted: Room[] = [];
    for (const [accountId, wanted] of byAccount) {
      const taken = this.takenBy(accountId);
      const free = Math.max(taken === 0 ? 1 : 0, Math.min(share - taken, left));
      const granted = scale(wanted, free);
      left -= granted.reduce((sum, { room }) => sum + room, 0);
      fitted.push(...granted);
    }
    return fitted;
  }

  private takenBy(accountId: string): number {
    return this.taken.get(accountId) ?? 0;
  }
}

/**
 * Scales rooms down to a total by one factor. What rounding leaves is given one by one from a random endpoint on, so
 * that none is always last.
 */
function scale(rooms: readonly Room[], total: number): Room[] {
  const wanted = rooms.reduce((sum, { room }) => sum + room, 0);
  if (wanted <= total) return [...rooms];
  const parts = rooms.map((each) => ({ ...each, room: Math.floor((each.room * total) / wanted) }));
  let rest = total - parts.reduce((sum, { room }) => sum + room, 0);
  const start = Math.floor(Math.random() * parts.length);
  return [...parts.slice(start), ...parts.slice(0, start)].flatMap((part) => {
    const room = part.room + (rest > 0 ? 1 : 0);
    rest -= 1;
    return room > 0 ? [{ ...part, room }] : [];
  });
}
