const MIN_SLOTS = 1_024;

/** Characters at the end of a key that are hashed: the random bits of a UUID. */
const HASHED = 8;

/**
 * A map by UUID for short-lived entries. A JavaScript Map is rehashed again and again under such entries, and each of its
 * old tables refers to the next. Once one table is in the old generation of V8's heap, every later one follows it, with
 * all that it refers to, until the next full garbage collection. This table only grows, and leaves no garbage.
 *
 * Open addressing with linear probing; the slots after a deleted entry are shifted back. Lookups are slow for keys that
 * have the same last characters.
 */
export class IdTable<V> {
  private keys = freeSlots<string>(MIN_SLOTS);
  private values = freeSlots<V>(MIN_SLOTS);
  private count = 0;

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

  delete(key: string): void {
    const { keys, values } = this;
    const mask = keys.length - 1;
    let free = this.slotOf(key);
    if (keys[free] === undefined) return;
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
