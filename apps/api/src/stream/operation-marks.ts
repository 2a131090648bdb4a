/** Kinds of operators' events that report only that a page has changed. */
export type MarkKind = keyof typeof REST;

/** Polls from one event of a kind to the next: the pages of lanes, endpoints and orphan reports cost more to read. */
const REST = { lane: 3, gateway: 1, parked: 1, route: 1, endpoint: 3, orphan: 3, worker: 1 } as const;

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
