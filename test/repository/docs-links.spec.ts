import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url).pathname;
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })];

test.each(pages)('%s names and links to nothing that is not there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const files = Array.from(
    text.matchAll(/`((?:apps|libs|tools|docs|examples)\/[\w./-]+\.(?:ts|mjs|md))`/g),
    ([, path]) => path ?? '',
  );
  const links = Array.from(text.matchAll(/\]\((?!https?:)([^)#]+)?(?:#([^)]+))?\)/g), ([, path, anchor]) => ({
    path: path ? join(dirname(page), path) : page,
    anchor,
  }));

  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(
    links.filter(({ path, anchor }) => !existsSync(join(ROOT, path)) || !hasAnchor(path, anchor)),
  ).toEqual([]);
});

/** Returns true when a page has the heading that a link names. */
function hasAnchor(path: string, anchor: string | undefined): boolean {
  if (anchor === undefined) return true;
  const headings = readFileSync(join(ROOT, path), 'utf8').match(/^#+ .*$/gm) ?? [];
  return headings.some((heading) => slug(heading) === anchor);
}

function slug(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^\w-]/g, '');
}
