/** Characters of a UUID that are hexadecimal digits. */
const DIGITS = [...'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'].flatMap((character, at) =>
  character === 'x' ? at : [],
);

/** 32-bit words of a UUID. */
const WORDS = 4;

/** The value of a hexadecimal digit, by its character code; 0 for any other character. */
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0 : value;
});

/**
 * Remembers the latest UUIDs that were added. They are kept as numbers: V8 would move many strings that live for seconds
 * to the old generation of its heap, which only a full garbage collection frees.
 */
export class RecentUuids {
  private young: Generation;
  private old: Generation;
  private readonly words = new Uint32Array(WORDS);

  /** @param size minimum number of ids that are remembered, and half of the maximum */
  constructor(private readonly size: number) {
    this.young = new Generation(size);
    this.old = new Generation(size);
  }

  add(id: string): void {
    if (this.young.count === this.size) {
      [this.young, this.old] = [this.old, this.young];
      this.young.clear();
    }
    this.young.add(this.parse(id));
  }

  has(id: string): boolean {
    const words = this.parse(id);
    return this.young.has(words) || this.old.has(words);
  }

  private parse(id: string): Uint32Array {
    for (let i = 0; i < WORDS; i += 1) {
      let word = 0;
      for (let digit = 8 * i; digit < 8 * i + 8; digit += 1)
        word = (word << 4) | VALUES[id.charCodeAt(DIGITS[digit]!)]!;
      this.words[i] = word;
    }
    return this.words;
  }
}

/** A set of UUIDs, each of WORDS words, with a maximum size: open addressing with linear probing. */
class Generation {
  count = 0;
  private readonly kept: Uint32Array;
  private readonly isUsed: Uint8Array;
  private readonly mask: number;

  constructor(size: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * size));
    this.kept = new Uint32Array(WORDS * slots);
    this.isUsed = new Uint8Array(slots);
    this.mask = slots - 1;
  }

  add(words: Uint32Array): void {
    const slot = this.slotOf(words);
    if (this.isUsed[slot] === 1) return;
    this.isUsed[slot] = 1;
    this.kept.set(words, WORDS * slot);
    this.count += 1;
  }

  has(words: Uint32Array): boolean {
    return this.isUsed[this.slotOf(words)] === 1;
  }

  clear(): void {
    this.isUsed.fill(0);
    this.count = 0;
  }

  /** The slot of an id, or the free one where it would be. */
  private slotOf(words: Uint32Array): number {
    const { isUsed, mask } = this;
    let slot = words[WORDS - 1]! & mask; // random bits of a UUIDv4 or v7
    while (isUsed[slot] === 1 && !this.isAt(slot, words)) slot = (slot + 1) & mask;
    return slot;
  }

  private isAt(slot: number, words: Uint32Array): boolean {
    for (let i = 0; i < WORDS; i += 1) if (this.kept[WORDS * slot + i] !== words[i]) return false;
    return true;
  }
}
