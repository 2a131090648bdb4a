import type { Caller } from './connection.ts';

/**
 * Waiting callers: in order within an account, and round-robin across accounts, so that none waits for all calls of
 * another.
 */
export class CallerLine {
  /** In the order in which accounts are served. */
  private readonly byAccount = new Map<string | undefined, Caller[]>();

  push(caller: Caller): void {
    const accountId = caller.owner?.accountId;
    const own = this.byAccount.get(accountId);
    if (own) own.push(caller);
    else this.byAccount.set(accountId, [caller]);
  }

  /** Removes and returns the next caller of an account that `mayStart`. Drops callers that have ended. */
  shift(mayStart: (accountId: string | undefined) => boolean): Caller | undefined {
    for (const [accountId, own] of this.byAccount) {
      if (!mayStart(accountId)) continue;
      this.byAccount.delete(accountId);
      let next = own.shift();
      while (next?.hasEnded()) next = own.shift();
      if (own.length > 0) this.byAccount.set(accountId, own);
      if (next) return next;
    }
    return undefined;
  }

  all(): Caller[] {
    return [...this.byAccount.values()].flat();
  }
}
