import { randomFillSync } from 'node:crypto';

const COUNTERS = 0x10000;

/**
 * Reference numbers that join the segments of a long message. Each recipient has its counter, since a phone joins
 * segments with equal references; recipients of equal hash share one, so that the memory is constant. A counter begins
 * at random, so that processes do not all count from 1.
 */
export class SegmentReferences {
  private readonly counters = randomFillSync(new Uint16Array(COUNTERS));

  /** The next reference for a recipient: 16 bits, which change in the low 8 each time. */
  next(recipient: string): number {
    const counter = hash(recipient) % COUNTERS;
    this.counters[counter]! += 1;
    return this.counters[counter]!;
  }
}

/** FNV-1a in 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
