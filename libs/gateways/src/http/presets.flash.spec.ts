import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PRESET_NAMES } from './preset-names.ts';
import { PRESETS } from './presets.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../../../docs/gateways/http.md'), 'utf8');

test('the documentation names the presets that pass no flash on', () => {
  const without = PRESET_NAMES.filter((name) => !JSON.stringify(PRESETS[name]).includes('messageClass'));

  const [, named] = /^`flash` has no effect with (.*?)[:;.]/ms.exec(DOCS) ?? [];

  expect([...(named ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(without);
});
