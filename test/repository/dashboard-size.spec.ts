import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const DIST = join(import.meta.dirname, '../../apps/dashboard/dist');
const CHART = 'src/parts/chart-drawing.tsx';
const LIMIT_BYTES = 250 * 1024;

/** Chunks by their sources, as Vite writes them. */
type Manifest = Record<string, { file: string; imports?: string[]; isEntry?: boolean }>;

test('the first page loads two scripts and later its chart, together at most 250 KB', () => {
  const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest;
  const entry = Object.keys(manifest).find((source) => manifest[source]!.isEntry)!;

  const files = [...filesOf(manifest, entry)];
  const all = new Set([...files, ...filesOf(manifest, CHART)]);
  const sizes = [...all].map((file) => gzipSync(readFileSync(join(DIST, file))).length);

  expect(manifest).not.toHaveProperty(['src/pages/overview/overview.page.tsx']);
  expect(files).not.toContain(manifest[CHART]!.file);
  expect(files.length).toBeLessThanOrEqual(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(LIMIT_BYTES);
});

/** A chunk and all chunks that it imports. */
function filesOf(manifest: Manifest, source: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[source]!;
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const each of chunk.imports ?? []) filesOf(manifest, each, seen);
  return seen;
}
