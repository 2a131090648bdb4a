import { expect, test } from '@jest/globals';
import { loadConfig } from '@signalbox/runtime/load-config';
import { ApiConfig } from './config.ts';

/** The problem of a value of TRUSTED_PROXIES; undefined for one that is accepted. */
function problemWith(value: string): string | undefined {
  try {
    loadConfig(ApiConfig, { TRUSTED_PROXIES: value });
  } catch (error) {
    return /TRUSTED_PROXIES .*/.exec((error as Error).message)?.[0];
  }
  return undefined;
}

test.each(['loopback', '10.0.0.0/8,192.0.2.7', 'uniquelocal,linklocal', '2001:db8::/32', '::1'])(
  '%s are trusted proxies',
  (value) => {
    expect(problemWith(value)).toBeUndefined();
  },
);

test.each(['999.1.1.1', '10.0.0.0/33', '10.0.0.0/0', '2001:db8::/129', 'proxy.example', '10.0.0.0/8,'])(
  'proxies %s are refused by the entry that is wrong',
  (value) => {
    const wrong = value.split(',').at(-1);
    expect(problemWith(value)).toMatch(/^TRUSTED_PROXIES must be comma-separated addresses or networks, /);
    expect(problemWith(value)).toContain(`; "${wrong}" is invalid`);
  },
);
