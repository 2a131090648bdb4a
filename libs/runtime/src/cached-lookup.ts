import { GroupCommit } from './group-commit.ts';
import { LruMap } from './lru-map.ts';

interface CacheOptions {
  /** Milliseconds for which an answer is reused, including "not found". */
  freshMs: number;
  /**
   * Maximum number of cached answers, and of cached "not found", which replace each other only. At least half as many
   * are kept.
   */
  maxCached: number;
}

/** Options of a lookup. A key that is not text needs `keyOf`: equal keys must give equal text. */
export type CachedLookupOptions<Key> = CacheOptions &
  (Key extends string ? { keyOf?: (key: Key) => string } : { keyOf: (key: Key) => string });

interface Cached<V> {
  value: V | undefined;
  freshUntil: number;
}

/** Finds rows by key: reuses recent answers, and finds the keys of concurrent calls in one statement. */
export class CachedLookup<Key, V> {
  private readonly cached: LruMap<string, Cached<V>>;
  private readonly missing: LruMap<string, Cached<V>>;
  private readonly lookups: GroupCommit<Key, V | undefined>;
  private readonly freshMs: number;
  private readonly keyOf: (key: Key) => string;

  /** @param find returns one value per key, in the order of the keys */
  constructor(
    find: (keys: Key[]) => Promise<(V | undefined)[]>,
    { freshMs, maxCached, keyOf = String }: CachedLookupOptions<Key>,
  ) {
    this.freshMs = freshMs;
    this.keyOf = keyOf;
    this.cached = new LruMap(Math.ceil(maxCached / 2));
    this.missing = new LruMap(Math.ceil(maxCached / 2));
    this.lookups = new GroupCommit(find, { maxBatch: 500, maxWaiting: 10_000 });
  }

  /** The cached answer of a key; undefined when there is none or it is stale. */
  peek(key: Key): { value: V | undefined } | undefined {
    const id = this.keyOf(key);
    const known = fresh(this.cached.get(id));
    return known ?? fresh(this.missing.get(id));
  }

  /**
   * Finds the row of a key; undefined when there is none.
   *
   * @throws OverloadedError when 10,000 keys are being looked up, or what `find` threw; failures are not cached
   */
  async find(key: Key): Promise<V | undefined> {
    const known = this.peek(key);
    if (known) return known.value;
    // Counted from before the statement, which may read just before a change.
    const freshUntil = performance.now() + this.freshMs;
    const value = await this.lookups.add(key);
    (value === undefined ? this.missing : this.cached).set(this.keyOf(key), { value, freshUntil });
    return value;
  }
}

function fresh<V>(known: Cached<V> | undefined): Cached<V> | undefined {
  return known && known.freshUntil > performance.now() ? known : undefined;
}
