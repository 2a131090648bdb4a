import { GroupCommit } from './group-commit.ts';

export interface CachedLookupOptions {
  /** How long an answer, "there is none" included, is believed without asking again. */
  freshMs: number;
  /** Enough for all that is in use; when it is full it starts over. */
  maxCached: number;
}

interface Cached<V> {
  value: V | undefined;
  freshUntil: number;
}

/** Looks rows up by a key. What was asked for a moment ago is answered from memory, and lookups made at the same time share one statement. */
export class CachedLookup<V> {
  private readonly cached = new Map<string, Cached<V>>();
  private readonly lookups: GroupCommit<string, V | undefined>;

  /** @param find answers one value per key, in their order */
  constructor(
    find: (keys: string[]) => Promise<(V | undefined)[]>,
    private readonly options: CachedLookupOptions,
  ) {
    this.lookups = new GroupCommit(find, { maxBatch: 500, maxWaiting: 10_000 });
  }

  /** What was found, if it is fresh; undefined when it has to be looked up. */
  peek(key: string): { value: V | undefined } | undefined {
    const known = this.cached.get(key);
    return known && known.freshUntil > Date.now() ? known : undefined;
  }

  async find(key: string): Promise<V | undefined> {
    const known = this.peek(key);
    if (known) return known.value;
    const freshUntil = Date.now() + this.options.freshMs;
    const value = await this.lookups.add(key);
    if (this.cached.size >= this.options.maxCached) this.cached.clear();
    this.cached.set(key, { value, freshUntil });
    return value;
  }
}
