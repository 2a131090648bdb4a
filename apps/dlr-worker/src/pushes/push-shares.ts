/** Pushes that an endpoint of an account can take now. */
export interface Room {
  webhookId: string;
  accountId: string;
  room: number;
}

/**
 * Counts pushes in progress in this process, and shares them between accounts: `room` serves accounts that ask one after
 * another, `fit` those that ask together. While N accounts are busy, each may have 1 / (N + 1) of the maximum. One share
 * stays free, so an account that comes next finds room, and a large one, or one whose calls hang, delays the others by a
 * bounded time.
 */
export class PushShares {
  private readonly taken = new Map<string, number>();
  private total = 0;

  /** @param max pushes of all accounts */
  constructor(private readonly max: number) {}

  /** Pushes that may begin until the maximum is reached; negative beyond it. */
  get left(): number {
    return this.max - this.total;
  }

  /** Adds pushes to those in progress. */
  take(accountId: string, count: number): void {
    if (count === 0) return;
    this.total += count;
    this.taken.set(accountId, this.takenBy(accountId) + count);
  }

  /** Removes pushes from those in progress. */
  free(accountId: string, count: number): void {
    if (count === 0) return;
    const left = this.takenBy(accountId) - count;
    this.total -= count;
    if (left > 0) this.taken.set(accountId, left);
    else this.taken.delete(accountId);
  }

  /**
   * Returns how many pushes an account may begin now: until it has as many as are then still free. Accounts that ask one
   * after another converge on equal shares.
   */
  room(accountId: string): number {
    return Math.max(0, Math.floor((this.left - this.takenBy(accountId)) / 2));
  }

  /** Is true while an account has no push in progress, and there is room for one of another account. */
  isIdle(accountId: string): boolean {
    return this.takenBy(accountId) === 0 && this.left > 0;
  }

  /**
   * Scales the rooms of all endpoints with due pushes down to the shares of their accounts. An account without a push in
   * progress gets at least one, even beyond the maximum.
   */
  fit(rooms: readonly Room[]): Room[] {
    const byAccount = Map.groupBy(rooms, ({ accountId }) => accountId);
    const accounts = new Set([...byAccount.keys(), ...this.taken.keys()]).size;
    const share = Math.max(1, Math.floor(this.max / (accounts + 1)));
    let { left } = this;
    const fitted: Room[] = [];
    for (const [accountId, wanted] of byAccount) {
      const taken = this.takenBy(accountId);
      const granted = scale(wanted, Math.max(taken === 0 ? 1 : 0, Math.min(share - taken, left)));
      left -= sumOf(granted);
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
  const wanted = sumOf(rooms);
  if (wanted <= total) return [...rooms];
  const scaled = rooms.map((each) => ({ ...each, room: Math.floor((each.room * total) / wanted) }));
  let rest = total - sumOf(scaled);
  const start = Math.floor(Math.random() * scaled.length);
  return [...scaled.slice(start), ...scaled.slice(0, start)].flatMap((each) => {
    const room = each.room + (rest > 0 ? 1 : 0);
    rest -= 1;
    return room > 0 ? [{ ...each, room }] : [];
  });
}

function sumOf(rooms: readonly Room[]): number {
  return rooms.reduce((sum, { room }) => sum + room, 0);
}
