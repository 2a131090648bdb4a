import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Stack, writeStackAccess } from '../stack.ts';
import { readLocalSettings } from './local-settings.ts';

const DATABASE_URL = 'postgres://signalbox:secret@127.0.0.1:54329/signalbox';
let data: string;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'signalbox-local-settings-'));
  writeFileSync(
    join(data, 'demo.env'),
    'export SIGNALBOX_URL=http://127.0.0.1:3000\nexport SIGNALBOX_API_KEY=sb_test_a\n',
  );
  writeFileSync(join(data, 'stack.env'), `DATABASE_URL=${DATABASE_URL}\n`);
});
afterAll(() => {
  rmSync(data, { recursive: true });
});

test('a shell that sourced demo.env keeps the database of the same `npm start`', () => {
  const local = { SIGNALBOX_URL: 'http://127.0.0.1:3000', SIGNALBOX_API_KEY: 'sb_test_a', DATABASE_URL };

  expect(readLocalSettings(data, {})).toEqual(local);
  expect(readLocalSettings(data, { SIGNALBOX_URL: 'http://127.0.0.1:3000' })).toEqual(local);
  expect(readLocalSettings(data, { SIGNALBOX_URL: 'http://127.0.0.1:3000/' })).toEqual(local);
});

test('a shell that sources stack.env reads the same values as a command', () => {
  const dir = mkdtempSync(join(data, 'with space '));
  const databaseUrl = `${DATABASE_URL}?sslmode=verify-full&sslrootcert=/etc/ca.pem`;
  writeStackAccess(dir, { databaseUrl, queueUrl: databaseUrl } as Stack);

  const script = 'set -a; . "$0/stack.env"; printf "%s %s" "$DATABASE_URL" "$MEDIA_DIR"';
  const sourced = execFileSync('sh', ['-c', script, dir], { encoding: 'utf8' });

  expect(sourced).toBe(`${databaseUrl} ${join(dir, 'media')}`);
  expect(readLocalSettings(dir, {})).toMatchObject({
    DATABASE_URL: databaseUrl,
    MEDIA_DIR: join(dir, 'media'),
  });
});

test('another database or API replaces the local settings as a whole', () => {
  expect(readLocalSettings(data, { DATABASE_URL: 'postgres://other' })).toEqual({});
  expect(readLocalSettings(data, { SIGNALBOX_URL: 'https://sms.example.com' })).toEqual({});
  expect(readLocalSettings(data, { SIGNALBOX_URL: '127.0.0.1' })).toEqual({});
  expect(readLocalSettings(join(data, 'none'), { SIGNALBOX_URL: 'http://127.0.0.1:3000' })).toEqual({});
});
