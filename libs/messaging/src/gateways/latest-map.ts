/**
 * A map of at least the latest `size` entries, and at most twice as many. Nothing is moved when it is used or full,
 * which makes it cheaper than a map of the least recently used.
 */
export class LatestMap<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  constructor(private readonly size: number) {}

  get(key: string): V | undefined {
    const value = this.young.get(key);
    return value === undefined ? this.old.get(key) : value;
  }

  has(key: string): boolean {
    return this.young.has(key) || this.old.has(key);
  }

  set(key: string, value: V): void {
    this.young.set(key, value);
    if (this.young.size < this.size) return;
    this.old = this.young;
    this.young = new Map();
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
