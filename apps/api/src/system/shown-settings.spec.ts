import { expect, test } from '@jest/globals';
import { ApiConfig } from '../config.ts';
import { shownSettings } from './shown-settings.ts';

test.each([
  ['postgres://user:secret@db:5432/signalbox?sslpassword=secret', 'postgres://db:5432/signalbox'],
  ['postgres://user:secret@db1:5432,db2:5432/signalbox', null],
  ['postgres:///signalbox?password=secret', 'postgres:///signalbox'],
  ['loopback', 'loopback'],
])('the setting %s is shown as %s', (value, shown) => {
  expect(shownSettings({ DATABASE_URL: value } as unknown as ApiConfig)).toEqual([
    { name: 'DATABASE_URL', value: shown },
  ]);
});

test('the settings that hold secrets are hidden', () => {
  const names = Object.keys(new ApiConfig());
  const config = Object.fromEntries(names.map((name) => [name, 'api-key=secret'])) as unknown as ApiConfig;

  const hidden = shownSettings(config).filter(({ value }) => value === null);

  expect(hidden.map(({ name }) => name)).toEqual([
    'CALLBACK_SECRETS',
    'OIDC_CLIENT_SECRET',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTP_PEPPER',
    'SECRETS_KEY',
    'SECRETS_KEYS_OLD',
  ]);
});

test('a setting that is not known to be harmless is hidden', () => {
  expect(shownSettings({ ADDED_LATER: 'secret' } as unknown as ApiConfig)).toEqual([
    { name: 'ADDED_LATER', value: null },
  ]);
});
