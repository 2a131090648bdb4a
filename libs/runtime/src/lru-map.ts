/**
 * A map that always keeps the `size` entries that were used last, and at most twice as many. It makes room by replacing
 * whole Maps instead of deleting single entries: a Map with constant inserts and deletes is rebuilt again and again, and
 * V8 keeps each table that it has outgrown, with all it refers to, until the next full garbage collection.
 */
export class LruMap<K, V> {
  /** The entries used since the last exchange; it becomes `old` once it has `size` of them. */
  private young = new Map<K, V>();
  private old = new Map<K, V>();

  constructor(private readonly size: number) {}

  /** The value of a key, which counts as used; undefined when there is none. */
  get(key: K): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Does not count as a use. */
  has(key: K): boolean {
    return this.young.has(key) || this.old.has(key);
  }

  set(key: K, value: V): void {
    this.young.set(key, value);
    if (this.young.size < this.size) return;
    this.old = this.young;
    this.young = new Map();
  }

  delete(key: K): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
