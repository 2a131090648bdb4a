import { expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { observeLag, showGateways, showUnconfirmed } from './gateway-metrics.ts';

const STATE = { status: 'up' as const, reason: 'It is up.', since: new Date() };

async function linesOf(gateway: string): Promise<string[]> {
  const lines = (await register.metrics())
    .split('\n')
    .filter((line) => line.includes(`gateway="${gateway}"`));
  return lines.map((line) => line.replace('signalbox_gateway_', '').replace(/\{.*\}/, ''));
}

test('a gateway is shown by its figures, until it is gone', async () => {
  const detail = { bound: 2, window: 10, inFlight: 7, throttled: true };
  showGateways([
    { name: 'smsc', state: { ...STATE, detail } },
    { name: 'vendor', state: { ...STATE, status: 'down', detail: {} } },
  ]);
  expect(await linesOf('smsc')).toEqual(['up 1', 'bound 2', 'window 20', 'in_flight 7', 'throttled 1']);
  expect(await linesOf('vendor')).toEqual(['up 0']);

  showGateways([]);
  expect(await linesOf('smsc')).toEqual([]);
});

test('the lag of final reports and the unconfirmed messages are shown by gateway', async () => {
  const reportedAt = new Date(Date.now() - 60_000);
  observeLag('late', [
    { status: 'DELIVERED', reportedAt },
    { status: 'SENT', reportedAt },
    { status: 'FAILED', reportedAt: new Date(Date.now() + 60_000) },
  ]);
  expect(await linesOf('late')).toContain('report_lag_seconds_count 2');

  showUnconfirmed([{ gateway: 'silent', count: 3 }]);
  expect(await linesOf('silent')).toEqual(['unconfirmed 3']);
  showUnconfirmed([]);
  expect(await linesOf('silent')).toEqual([]);
});
