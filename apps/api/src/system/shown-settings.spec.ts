import { expect, test } from '@jest/globals';
import type { ApiConfig } from '../config.ts';
import { shownSettings } from './shown-settings.ts';

test.each([
  ['postgres://user:secret@db:5432/signalbox?sslpassword=secret', 'postgres://db:5432/signalbox'],
  ['postgres://user:secret@db1:5432,db2:5432/signalbox', null],
  ['postgres:///signalbox?password=secret', 'postgres:///signalbox'],
  ['PROMO 91 21:00-10:00 Asia/Kolkata', 'PROMO 91 21:00-10:00 Asia/Kolkata'],
])('the setting %s is shown as %s', (value, shown) => {
  expect(shownSettings({ SOME_SETTING: value } as unknown as ApiConfig)).toEqual([
    { name: 'SOME_SETTING', value: shown },
  ]);
});

test.each(['SECRETS_KEY', 'OTP_PEPPER', 'SMTP_PASSWORD'])('%s is never shown', (name) => {
  expect(shownSettings({ [name]: 'secret' } as unknown as ApiConfig)).toEqual([{ name, value: null }]);
});
