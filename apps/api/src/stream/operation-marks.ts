/** Kinds of events of operators that say only that a page would show something else. */
export type MarkKind = 'lane' | 'gateway' | 'parked';

/** Polls from one event of a kind to the next: the page of lanes costs more to read than the others. */
const REST: Readonly<Record<MarkKind, number>> = { lane: 3, gateway: 1, parked: 1 };

/** Finds the kinds whose mark has changed. */
export class OperationMarks {
  private readonly sent = new Map<MarkKind, { mark: string; poll: number }>();

  /** Returns the kinds whose mark is another one than at their last event, and that may have one in this poll. */
  changed(marks: Partial<Record<MarkKind, string>>, poll: number): MarkKind[] {
    const found = (Object.entries(marks) as [MarkKind, string][]).filter(([kind, mark]) => {
      const last = this.sent.get(kind);
      return last === undefined || (last.mark !== mark && poll - last.poll >= REST[kind]);
    });
    for (const [kind, mark] of found) this.sent.set(kind, { mark, poll });
    return found.map(([kind]) => kind);
  }
}
