import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { keptSecret } from './secret-file.ts';

test('a secret is made once, in a file that only its owner may read', () => {
  using t = setup();

  expect([keptSecret(t.path, () => 'first'), keptSecret(t.path, () => 'second')]).toEqual(['first', 'first']);

  expect(readFileSync(t.path, 'utf8')).toBe('first\n');
  expect(statSync(t.path).mode & 0o777).toBe(0o600);
  expect(readdirSync(t.dir)).toEqual(['a.secret']);
});

test.each(['', '\n', '\r\n'])('a file that holds only %j is named with what to do', (text) => {
  using t = setup();
  writeFileSync(t.path, text);

  expect(() => keptSecret(t.path, () => 'another')).toThrow(
    `the file ${t.path} holds no secret. Restore it from a backup.`,
  );
});

test('a secret ends before the end of its line', () => {
  using t = setup();
  writeFileSync(t.path, 'kept\r\n');

  expect(keptSecret(t.path, () => 'another')).toBe('kept');
});

test('a folder in place of a secret is refused', () => {
  using t = setup();
  mkdirSync(t.path);

  expect(() => keptSecret(t.path, () => 'another')).toThrow(
    /^a secret cannot be read: EISDIR.* this user may read/,
  );
});

function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-secret-'));
  return { dir, path: join(dir, 'a.secret'), [Symbol.dispose]: () => rmSync(dir, { recursive: true }) };
}
