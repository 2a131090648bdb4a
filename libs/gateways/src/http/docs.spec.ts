import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readSettings } from '../read-settings.ts';
import { HTTP_KIND } from './kind.ts';
import { MESSAGE_PLACEHOLDERS } from './message-values.ts';
import { PRESET_NAMES } from './preset-names.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/gateways/http.md'), 'utf8');

interface Documented {
  name: string;
  settings: { preset?: string };
  secrets: Record<string, string>;
}

const gateways = [...PAGE.matchAll(/^```json\n(.*?)^```/gms)].map(
  ([, json = '']) => JSON.parse(json) as Documented,
);

test.each(gateways)('the documented gateway $name is usable', ({ settings, secrets }) => {
  expect(readSettings(HTTP_KIND, settings, secrets)).toHaveProperty('settings');
});

test('every preset and every placeholder is documented', () => {
  expect(gateways.flatMap(({ settings: { preset } }) => preset ?? [])).toEqual([...PRESET_NAMES]);
  expect(MESSAGE_PLACEHOLDERS.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
});
