import { isObject } from '@signalbox/domain/is-object';
import { compilePath, textOf } from './source.ts';

/** One entry of a callback, and the objects around it, the nearest first. */
export interface Entry {
  chain: unknown[];
}

/** Lists the entries of a callback. */
export type ListEntries = (content: unknown, query: Record<string, string>) => Entry[];

/** Reads a field of an entry; undefined when neither it nor an object around it has it. */
export type ReadField = (entry: Entry) => string | undefined;

/** Entries of one callback that are read: more than a vendor puts into 256 KB. */
const MAX_ENTRIES = 10_000;

/**
 * Compiles a path to entries. Each `[*]` begins a list; the objects that the path leads through stay readable from
 * their entries, and the query of the address after them.
 *
 * @throws SourceError
 */
export function compileList(path: string | undefined): ListEntries {
  const stages = path === undefined ? [] : stagesOf(path).map(compilePath);
  return (content, query) => {
    let entries: Entry[] = [{ chain: [content, query] }];
    for (const stage of stages) entries = entries.flatMap((entry) => expand(entry, stage));
    return entries.filter(({ chain: [own] }) => isObject(own)).slice(0, MAX_ENTRIES);
  };
}

/**
 * Compiles the path of a field, or several with `|` between them, of which the first value counts. A list of texts
 * yields its first.
 *
 * @throws SourceError
 */
export function compileField(path: string | undefined): ReadField {
  if (path === undefined) return () => undefined;
  const finds = path.split('|').map(compilePath);
  return ({ chain }) => {
    for (const find of finds)
      for (const object of chain) {
        const text = textOf(find(object)[0]);
        if (text !== undefined && text !== '') return text;
      }
    return undefined;
  };
}

function expand({ chain }: Entry, stage: (value: unknown) => unknown[]): Entry[] {
  return stage(chain[0]).map((own) => ({ chain: [own, ...chain] }));
}

/** Cuts a path after each list: `[*].report[*]` has the stages `[*]` and `report[*]`. */
function stagesOf(path: string): string[] {
  const stages = path.split(/(?<=\[\*\])\.?/);
  return stages.filter((stage) => stage !== '');
}
