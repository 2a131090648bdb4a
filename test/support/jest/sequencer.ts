import { createRequire } from 'node:module';
import { relative } from 'node:path';

const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer');

type Sort = InstanceType<typeof Sequencer>['sort'];

/** Folders of long files. Those of faults and peers wait most of the time; those of browsers compute. */
const LONG = /^test\/(browser|drills|faults|peers|pipeline|repository)\//;

/** Files of which some wait for deadlines: after them are only files of a second. */
const OVER_HTTP = /\.e2e\.spec\.ts$/;

const REST = 'rest';

/**
 * Starts files of a second last, so that no worker is left alone with a long one at the end. Spreads the files of each
 * folder of long ones, and the tests over HTTP, evenly over the time before, so that at any time some wait while others
 * compute. Within a folder, and otherwise, Jest's order stays.
 */
export default class LongFirst extends Sequencer {
  override async sort(...given: Parameters<Sort>): Promise<Awaited<ReturnType<Sort>>> {
    const tests = await super.sort(...given);
    const groups = Map.groupBy(tests, ({ context, path }) => groupOf(relative(context.config.rootDir, path)));
    const placed = [...groups].flatMap(([group, files]) =>
      files.map((test, i) => ({ test, place: group === REST ? 1 : (i + 0.5) / files.length })),
    );
    return placed.toSorted((a, b) => a.place - b.place).map(({ test }) => test);
  }
}

function groupOf(path: string): string {
  return LONG.exec(path)?.[1] ?? (OVER_HTTP.test(path) ? 'http' : REST);
}
