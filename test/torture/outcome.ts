import type { Tally } from '../support/ledger.ts';

/** Options of a run: its sizes by name, and the queue. */
export interface RunOptions {
  queue: 'redis' | 'postgres';
  sizes: Record<string, number>;
}

/** Messages of one kind that went through a run. */
export interface Flow {
  name: string;
  tally: Tally;
  /** Seconds from the last fault, or the end of the load, to the last missing push; Infinity when one is lost. */
  drainSeconds: number;
}

export interface Outcome {
  flows: Flow[];
  figures: Record<string, number | string>;
  /** The rules that did not hold, as sentences. */
  broken: string[];
}

/** Lists the broken ones of some rules: `broken({ 'a call failed': failures > 0 })`. */
export function broken(rules: Record<string, boolean>): string[] {
  return Object.entries(rules).flatMap(([sentence, isBroken]) => (isBroken ? [sentence] : []));
}

/** The rules of every flow: nothing lost, unexpected or under a second id, and drained in time. */
export function brokenFlows(flows: readonly Flow[], drainSeconds: number): string[] {
  return flows.flatMap(({ name, tally, drainSeconds: took }) =>
    broken({
      [`${name}: accepted messages were lost: ${some(tally.lost)}`]: tally.lost.length > 0,
      [`${name}: messages that nobody sent were pushed: ${some(tally.unexpected)}`]:
        tally.unexpected.length > 0,
      [`${name}: messages came under a second id: ${some(tally.duplicated)}`]: tally.duplicated.length > 0,
      [`${name}: drained in ${took.toFixed(1)} s, more than ${drainSeconds} s`]:
        took > drainSeconds && tally.lost.length === 0,
    }),
  );
}

/** Prints the table of a run, its other figures, and its verdict. */
export function printOutcome(name: string, { flows, figures, broken: rules }: Outcome): void {
  console.log(`\n${name}`);
  if (flows.length > 0) console.table(Object.fromEntries(flows.map((flow) => [flow.name, rowOf(flow)])));
  for (const [label, value] of Object.entries(figures)) console.log(`  ${label}: ${value}`);
  console.log(rules.length === 0 ? '  every rule held' : `  BROKEN\n    ${rules.join('\n    ')}`);
}

function rowOf({ tally, drainSeconds }: Flow): object {
  return {
    accepted: tally.accepted,
    lost: tally.lost.length,
    unexpected: tally.unexpected.length,
    'under another id': tally.duplicated.length,
    'repeated under the same id': tally.repeated,
    recovered: tally.recovered,
    'drained in s': Number(drainSeconds.toFixed(1)),
  };
}

function some(keys: readonly string[]): string {
  return keys.slice(0, 3).join(', ');
}
