/** What a recipient's operator and circle are called when nobody knows them. */
export const UNKNOWN_CARRIER = 'UNKNOWN';

/** Prefixes of one length, ascending, and which name each stands for. */
interface Prefixes {
  length: number;
  starts: Float64Array;
  names: Uint32Array;
}

/**
 * Which operator and circle the numbers of a prefix belong to. Twelve bytes a prefix, so that a table of millions fits into every
 * process; a look-up is a binary search for each length of prefix there is.
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

  /** The operator and circle of a number by the longest prefix that it begins with, as `Airtel, Delhi`; undefined when there is none. */
  find(digits: string): string | undefined {
    for (const { length, starts, names } of this.lengths) {
      const index = digits.length < length ? -1 : indexOf(starts, Number(digits.slice(0, length)));
      if (index >= 0) return this.names[names[index]!];
    }
    return undefined;
  }
}

/** One line of an operator table. */
export interface CarrierPrefix {
  prefix: string;
  operator: string;
  /** Empty where the country has no circles. */
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
