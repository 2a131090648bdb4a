import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { AppConfig } from '@signalbox/runtime/app-config';
import { getMetadataStorage } from 'class-validator';
import { ChatappWorkerConfig } from '../../apps/chatapp-worker/src/config.ts';
import { DlrWorkerConfig } from '../../apps/dlr-worker/src/config.ts';
import { OtpWorkerConfig } from '../../apps/otp-worker/src/config.ts';
import { SmsWorkerConfig } from '../../apps/sms-worker/src/config.ts';
import { ApiConfig } from '../../apps/api/src/config.ts';

const documented = new Map(
  readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
    .split('\n## ')
    .map((section) => [section.split('\n', 1)[0] ?? '', rowsOf(section)]),
);

/** `name default` of each row of a section. */
function rowsOf(section: string): string[] {
  return Array.from(
    section.matchAll(/^\| `(\w+)` \| (`[^`]+`|\S+) \|/gm),
    ([, name, value]) => `${name} ${value?.replaceAll('`', '')}`,
  ).toSorted();
}

/** `name default` of each setting of a class that its base class does not have. */
function settingsOf(config: new () => object, base?: new () => object): string[] {
  const defaults = new config() as Record<string, unknown>;
  const inherited = base ? namesOf(base) : new Set<string>();
  return [...namesOf(config)]
    .filter((name) => !inherited.has(name))
    .map((name) => `${name} ${textOf(defaults[name])}`)
    .toSorted();
}

function namesOf(config: new () => object): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(config, '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

function textOf(value: unknown): string {
  if (value === undefined) return 'required';
  if (value === '') return 'none';
  return typeof value === 'boolean' ? String(Number(value)) : JSON.stringify(value).replaceAll('"', '');
}

test.each([
  ['Every app', settingsOf(AppConfig)],
  ['api', settingsOf(ApiConfig, AppConfig)],
  ['sms-worker', settingsOf(SmsWorkerConfig, AppConfig)],
  ['dlr-worker', settingsOf(DlrWorkerConfig, AppConfig)],
  ['otp-worker', settingsOf(OtpWorkerConfig, AppConfig)],
  ['chatapp-worker', settingsOf(ChatappWorkerConfig, AppConfig)],
])('docs/configuration.md has exactly the settings of "%s", with their defaults', (section, settings) => {
  expect(settings.length).toBeGreaterThan(0);
  expect(documented.get(section)).toEqual(settings);
});
