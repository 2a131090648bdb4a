import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PAGES } from '../support/pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const textsOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));

/** The path of a route. */
const ROUTE = /(?:pageRoute\(\s*|path: )'([^']+)'/g;
/** The pages that a browser test judges by axe, width and keyboard: an area of PAGES, a list, or both. */
const JUDGED = /expectGoodPages\(t, (.*?)\);?\n/gs;
const AREA = /PAGES\.(\w+)/g;
/** A key of such a list; `${…}` stands for a parameter. */
const PATH = /['`](\/[^'`?]*)(?:\?[^'`]*)?['`]\]?:/g;

/** The paths of an area of the dashboard, without their search parameters. */
function pathsOf(area: keyof typeof PAGES): string[] {
  return Object.keys(PAGES[area]).map((path) => path.replace(/\?.*/, ''));
}

/** A path as a pattern: its parameters match whatever a test gives them. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`);
}

test('each page of the dashboard is judged in both themes by a browser test', () => {
  const routes = textsOf('apps/dashboard/src/pages/**/*.routes.tsx').flatMap((text) =>
    Array.from(text.matchAll(ROUTE), ([, path]) => path!),
  );
  const judged = textsOf('test/browser/*.spec.ts').flatMap((text) =>
    Array.from(text.matchAll(JUDGED)).flatMap(([, pages = '']) => [
      ...Array.from(pages.matchAll(PATH), ([, path]) => path!.replaceAll(/\$\{[^/]*\}/g, 'x')),
      ...Array.from(pages.matchAll(AREA)).flatMap(([, area]) => pathsOf(area as keyof typeof PAGES)),
    ]),
  );

  const isJudged = (route: string): boolean =>
    judged.some((path) => path === route || (patternOf(route).test(path) && !routes.includes(path)));

  expect(routes.length).toBeGreaterThan(40);
  expect(routes.filter((route) => !isJudged(route))).toEqual([]);
});
