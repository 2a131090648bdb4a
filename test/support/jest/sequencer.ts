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

/** Ranks behind those of long files. */
const RANK_OVER_HTTP = 1_000;
const RANK_OF_THE_REST = 2_000;

/**
 * Starts the long files first, so that no worker is left alone with one at the end, and takes them from their folders
 * in rotation, so that some wait while others compute. Tests over HTTP come next. Within a folder, and otherwise,
 * Jest's order stays.
 */
export default class LongFirst extends Sequencer {
  override async sort(...given: Parameters<Sort>): Promise<Awaited<ReturnType<Sort>>> {
    const tests = await super.sort(...given);
    const taken = new Map<string, number>();
    const ranked = tests.map((test) => {
      const folder = LONG.exec(relative(test.context.config.rootDir, test.path))?.[1];
      if (folder === undefined)
        return { test, rank: OVER_HTTP.test(test.path) ? RANK_OVER_HTTP : RANK_OF_THE_REST };
      const rank = taken.get(folder) ?? 0;
      taken.set(folder, rank + 1);
      return { test, rank };
    });
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ test }) => test);
  }
}
