import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { CONFIGS, SHARED_CONFIG, namesOf } from './settings.ts';

const documented = new Map(
  readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
    .split('\n## ')
    .map((section) => [section.split('\n', 1)[0] ?? '', rowsOf(section)]),
);

/** Returns `name default` of each row of a section. */
function rowsOf(section: string): string[] {
  return Array.from(
    section.matchAll(/^\| `(\w+)` \| (`[^`]+`|\S+) \|/gm),
    ([, name, value]) => `${name} ${value?.replaceAll('`', '')}`,
  ).toSorted();
}

/** Returns `name default` of each setting of a class that its base class does not have. */
function settingsOf(config: new () => object, base?: new () => object): string[] {
  const defaults = new config() as Record<string, unknown>;
  const inherited = base ? namesOf(base) : new Set<string>();
  return [...namesOf(config)]
    .filter((name) => !inherited.has(name))
    .map((name) => `${name} ${textOf(defaults[name])}`)
    .toSorted();
}

function textOf(value: unknown): string {
  if (value === undefined) return 'required';
  if (value === '') return 'none';
  return typeof value === 'boolean' ? String(Number(value)) : JSON.stringify(value).replaceAll('"', '');
}

const sections: [string, string[]][] = [
  ['Every app', settingsOf(SHARED_CONFIG)],
  ...Object.entries(CONFIGS).map(([app, config]): [string, string[]] => [
    app,
    settingsOf(config, SHARED_CONFIG),
  ]),
];

test.each(sections)(
  'docs/configuration.md lists the settings of "%s" with their defaults',
  (section, settings) => {
    expect(settings.length).toBeGreaterThan(0);
    expect(documented.get(section)).toEqual(settings);
  },
);
