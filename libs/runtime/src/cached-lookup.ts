import { GroupCommit } from './group-commit.ts';

/** A map of at most `maxSize` entries; a new one replaces the least recently used. */
export class LruMap<K, V> {
  private readonly entries = new Map<K, V>();
  /**
   * Yields the least recently used key next: a Map iterates in the order of insertion, and a used key is inserted
   * again. Undefined after a while without an eviction: a live iterator keeps every table that the Map has outgrown.
   */
  private oldest: Iterator<K> | undefined;
  private usesSinceEviction = 0;

  constructor(private readonly maxSize: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** The value of a key, which becomes the most recently used; undefined when there is none. */
  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.touch(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.touch(key, value);
    if (this.entries.size > this.maxSize) this.evict();
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  private touch(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    this.usesSinceEviction += 1;
    if (this.usesSinceEviction > this.maxSize) this.oldest = undefined;
  }

  /** A new iterator each time would walk over the keys that are deleted: the more of them, the slower. */
  private evict(): void {
    this.usesSinceEviction = 0;
    this.oldest ??= this.entries.keys();
    let next = this.oldest.next();
    if (next.done) {
      this.oldest = this.entries.keys();
      next = this.oldest.next();
    }
    if (!next.done) this.entries.delete(next.value);
  }
}

interface CacheOptions {
  /** Milliseconds for which an answer is reused, including "not found". */
  freshMs: number;
  /** Maximum number of cached answers, and of cached "not found", which replace each other only. */
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
    this.cached = new LruMap(maxCached);
    this.missing = new LruMap(maxCached);
    this.lookups = new GroupCommit(find, { maxBatch: 500, maxWaiting: 10_000 });
  }

  /** The cached answer of a key; undefined when there is none or it is stale. */
  peek(key: Key): { value: V | undefined } | undefined {
    const id = this.keyOf(key);
    const known = fresh(this.cached.get(id));
    return known ?? fresh(this.missing.get(id));
  }

  /** @throws OverloadedError, or what `find` threw; failures are not cached */
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
