/** One try of a client to have a message sent, identified by a recipient that no other try has. */
export interface Attempt {
  recipient: string;
  /** True after a 2xx response. Without one the message may still arrive. */
  isAccepted: boolean;
}

/** One push that an endpoint outside the product received. */
export interface Receipt {
  recipient: string;
  messageId: string;
  status: string;
  webhookId: string;
  at: number;
}

/** Messages as a total queue counts them: all that went in against all that came out. */
export interface Tally {
  accepted: number;
  /** Accepted messages without a push of a final status. */
  lost: string[];
  /** Pushed messages that nobody tried to send. */
  unexpected: string[];
  /** Messages that came under a second message id, or a status under a second webhook id. */
  duplicated: string[];
  /** Pushes repeated under the same webhook id. */
  repeated: number;
  /** Messages without a 2xx response that were pushed. */
  recovered: number;
}

const FINAL = new Set(['Delivered', 'Failed', 'Read']);

/** The receipts of messages, kept outside the product. */
export class Ledger {
  private readonly ids: Ids = new Map();
  private readonly pushes: Ids = new Map();
  /** When each message first had its final status, by recipient. */
  readonly finishedAt = new Map<string, number>();
  private repeated = 0;

  receive({ recipient, messageId, status, webhookId, at }: Receipt): void {
    add(this.ids, recipient, messageId);
    if (!add(this.pushes, `${messageId} ${status}`, webhookId)) this.repeated += 1;
    if (FINAL.has(status) && !this.finishedAt.has(recipient)) this.finishedAt.set(recipient, at);
  }

  /** Accepted recipients whose message has no final status yet. */
  missing(attempts: readonly Attempt[]): string[] {
    return attempts.flatMap(({ recipient, isAccepted }) =>
      isAccepted && !this.finishedAt.has(recipient) ? [recipient] : [],
    );
  }

  tally(attempts: readonly Attempt[]): Tally {
    const tried = new Set(attempts.map(({ recipient }) => recipient));
    return {
      accepted: attempts.filter(({ isAccepted }) => isAccepted).length,
      lost: this.missing(attempts),
      unexpected: [...this.ids.keys()].filter((recipient) => !tried.has(recipient)),
      duplicated: [...this.ids, ...this.pushes].filter(([, ids]) => ids instanceof Set).map(([key]) => key),
      repeated: this.repeated,
      recovered: attempts.filter(({ recipient, isAccepted }) => !isAccepted && this.ids.has(recipient))
        .length,
    };
  }
}

/** The id of each key, a set of those that have several: millions of sets of one would fill the memory. */
type Ids = Map<string, string | Set<string>>;

/** Adds an id to those of a key. @returns false when it was there already */
function add(ids: Ids, key: string, id: string): boolean {
  const known = ids.get(key);
  if (known === id || (known instanceof Set && known.has(id))) return false;
  if (known === undefined) ids.set(key, id);
  else if (known instanceof Set) known.add(id);
  else ids.set(key, new Set([known, id]));
  return true;
}
