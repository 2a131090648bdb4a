/** Name of a recipient's carrier and circle if they are unknown. */
export const UNKNOWN_CARRIER = 'UNKNOWN';

/** Prefixes of one length in ascending order, and the index of each one's name. */
interface Prefixes {
  length: number;
  starts: Float64Array;
  names: Uint32Array;
}

/**
 * Carriers and circles by number prefix. A prefix takes twelve bytes, so that a table of millions fits into every
 * process. A lookup is one binary search per length of prefix.
 */
export class CarrierTable {
  private constructor(
    private readonly lengths: Prefixes[],
    private readonly names: string[],
  ) {}

  /** @param entries each prefix once, those of one length in ascending order */
  static async of(entries: AsyncIterable<CarrierPrefix>): Promise<CarrierTable> {
    const names = new Map<string, number>();
    const found = new Map<number, { starts: number[]; names: number[] }>();
    for await (const { prefix, operator, circle } of entries) {
      const name = circle === '' ? operator : `${operator}, ${circle}`;
      if (!names.has(name)) names.set(name, names.size);
      const list = found.get(prefix.length) ?? { starts: [], names: [] };
      found.set(prefix.length, list);
      list.starts.push(Number(prefix));
      list.names.push(names.get(name)!);
    }
    const lengths = Array.from(found, ([length, list]) => ({
      length,
      starts: Float64Array.from(list.starts),
      names: Uint32Array.from(list.names),
    }));
    return new CarrierTable(
      lengths.toSorted((a, b) => b.length - a.length),
      [...names.keys()],
    );
  }

  /** Finds carrier and circle by the longest known prefix, as `Airtel, Delhi`; undefined if unknown. */
  find(digits: string): string | undefined {
    for (const { length, starts, names } of this.lengths) {
      const index = digits.length < length ? -1 : indexOf(starts, Number(digits.slice(0, length)));
      if (index >= 0) return this.names[names[index]!];
    }
    return undefined;
  }
}

/** One line of a carrier table. */
export interface CarrierPrefix {
  prefix: string;
  operator: string;
  /** Empty if the country has no circles. */
  circle: string;
}

function indexOf(sorted: Float64Array, wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle]!;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
