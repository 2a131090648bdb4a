const MIN_SLOTS = 1_024;

/** Characters at the end of a key that are hashed: the random bits of a UUID. */
const HASHED = 8;

/**
 * A map by UUID for entries that come and go all the time. A JS Map is rebuilt again and again then, and links each
 * table that it has outgrown to the next: once one is in the old generation of V8's heap, so is each later one, with all
 * that it refers to, until the next full garbage collection. This one has a table that only grows, and leaves no garbage.
 *
 * Open addressing with linear probing; the slots after a deleted entry are shifted back. Keys that end alike are slow.
 */
export class IdTable<V> {
  private keys = freeSlots<string>(MIN_SLOTS);
  private values = freeSlots<V>(MIN_SLOTS);
  private count = 0;

  /** Number of entries. */
  get size(): number {
    return this.count;
  }

  get(key: string): V | undefined {
    return this.values[this.slotOf(key)];
  }

  has(key: string): boolean {
    return this.keys[this.slotOf(key)] !== undefined;
  }

  set(key: string, value: V): void {
    if ((this.count + 1) * 2 > this.keys.length) this.grow();
    const slot = this.slotOf(key);
    if (this.keys[slot] === undefined) this.count += 1;
    this.keys[slot] = key;
    this.values[slot] = value;
  }

  /** @returns whether there was such a key */
  delete(key: string): boolean {
    const { keys, values } = this;
    const mask = keys.length - 1;
    let free = this.slotOf(key);
    if (keys[free] === undefined) return false;
    this.count -= 1;
    // An entry moves to the free slot unless its probing begins behind that slot.
    for (let slot = (free + 1) & mask; keys[slot] !== undefined; slot = (slot + 1) & mask) {
      const distance = (slot - hashOf(keys[slot]!)) & mask;
      if (distance < ((slot - free) & mask)) continue;
      keys[free] = keys[slot];
      values[free] = values[slot];
      free = slot;
    }
    keys[free] = undefined;
    values[free] = undefined;
    return true;
  }

  /** The slot of a key, or the free one where it would be. */
  private slotOf(key: string): number {
    const { keys } = this;
    const mask = keys.length - 1;
    let slot = hashOf(key) & mask;
    while (keys[slot] !== undefined && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { keys, values } = this;
    this.keys = freeSlots(2 * keys.length);
    this.values = freeSlots(2 * keys.length);
    for (const [i, key] of keys.entries()) {
      if (key === undefined) continue;
      const slot = this.slotOf(key);
      this.keys[slot] = key;
      this.values[slot] = values[i];
    }
  }
}

const freeSlots = <T>(length: number): (T | undefined)[] => Array.from({ length });

function hashOf(key: string): number {
  let hash = 0;
  for (let at = Math.max(0, key.length - HASHED); at < key.length; at += 1)
    hash = Math.imul(hash, 31) + key.charCodeAt(at);
  return hash ^ (hash >>> 15);
}
