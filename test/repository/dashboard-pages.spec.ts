import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const textsOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));

/** The path of a route. */
const ROUTE = /(?:pageRoute\(\s*|path: )'([^']+)'/g;
/** The list of pages that a browser test judges by axe, width and keyboard. */
const LIST = /expectGoodPages\(t, \{(.*?)\}\)/gs;
/** A key of that list; `${…}` stands for a parameter. */
const PATH = /['`](\/[^'`?]*)(?:\?[^'`]*)?['`]\]?:/g;

/** A path as a pattern: its parameters match whatever a test gives them. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`);
}

test('each page of the dashboard is judged in both themes by a browser test', () => {
  const routes = textsOf('apps/dashboard/src/pages/**/*.routes.tsx').flatMap((text) =>
    Array.from(text.matchAll(ROUTE), ([, path]) => path!),
  );
  const judged = textsOf('test/browser/*.spec.ts').flatMap((text) =>
    Array.from(text.matchAll(LIST)).flatMap(([, list]) =>
      Array.from(list!.matchAll(PATH), ([, path]) => path!.replaceAll(/\$\{[^/]*\}/g, 'x')),
    ),
  );

  const isJudged = (route: string): boolean =>
    judged.some((path) => path === route || (patternOf(route).test(path) && !routes.includes(path)));

  expect(routes.length).toBeGreaterThan(40);
  expect(routes.filter((route) => !isJudged(route))).toEqual([]);
});
