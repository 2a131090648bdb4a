import { expect, test } from '@jest/globals';
import { AppConfig } from './app-config.ts';
import { loadConfig } from './load-config.ts';

const GOOD = {
  DATABASE_URL: 'postgres://user:password@localhost:5432/signalbox',
  QUEUE_URL: 'redis://localhost:6379',
  PORT: '3000',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};

test('a configuration is read with its numbers and its defaults', () => {
  const config = loadConfig(AppConfig, { ...GOOD, LOG_LEVEL: '' });

  expect(config).toMatchObject({
    PORT: 3000,
    LOG_LEVEL: 'info',
    QUEUE_PREFIX: 'signalbox',
    DATABASE_POOL_SIZE: 10,
  });
});

test('a configuration holds none of the other variables of its environment', () => {
  const config = loadConfig(AppConfig, { ...GOOD, HOME: '/root', MY_CREDENTIALS: 'secret' });

  expect(Object.keys(config)).toEqual(expect.arrayContaining(['PORT', 'SECRETS_KEY']));
  expect(JSON.stringify(config)).not.toMatch(/HOME|MY_CREDENTIALS/);
});

test('an error names all problems of a configuration and what to do', () => {
  const load = (): AppConfig => loadConfig(AppConfig, { PORT: 'x', LOG_LEVEL: 'loud' });

  expect(load).toThrow(/DATABASE_URL must name a database/);
  expect(load).toThrow(/QUEUE_URL must be redis/);
  expect(load).toThrow(/SECRETS_KEY must be 32 random bytes/);
  expect(load).toThrow(/PORT must be a whole number from 0 to 65535/);
  expect(load).toThrow(/LOG_LEVEL must be one of/);
});

test.each(['\n', '\r\n'])('values that end with %j, as a file does, are refused in one line each', (end) => {
  const given = Object.fromEntries(Object.entries(GOOD).map(([name, value]) => [name, value + end]));
  const load = (): AppConfig => loadConfig(AppConfig, given);

  for (const name of Object.keys(GOOD))
    expect(load).toThrow(
      `\n  - ${name} ends with a line break: remove it, also from the file or secret that it was`,
    );
  expect(load).toThrow(/^([^\n]+\n){4}[^\n]+$/);
});

test('a value that begins with a space is refused, and a variable that is no setting is not', () => {
  expect(() => loadConfig(AppConfig, { ...GOOD, QUEUE_PREFIX: ' one', PS1: '$ ' })).toThrow(
    /^the configuration is not usable:\n {2}- QUEUE_PREFIX begins or ends with white space: remove it, [^\n]*$/,
  );
});

test.each(['', '0.5', '-1', '65536', 'abc'])(
  'the port %j is refused with the numbers that it may be',
  (PORT) => {
    expect(() => loadConfig(AppConfig, { ...GOOD, PORT })).toThrow(
      /^the configuration is not usable:\n {2}- PORT must be a whole number from 0 to 65535$/,
    );
  },
);

test.each(['5s', '0', '61'])(
  'the time limit %j of connections is refused with the seconds that it may be',
  (limit) => {
    expect(() => loadConfig(AppConfig, { ...GOOD, PGCONNECT_TIMEOUT: limit })).toThrow(
      'PGCONNECT_TIMEOUT must be a whole number from 1 to 60',
    );
  },
);

test('headers for the collector whose % is no escape are refused', () => {
  const load = (headers: string) => loadConfig(AppConfig, { ...GOOD, OTEL_EXPORTER_OTLP_HEADERS: headers });

  expect(() => load('api-key=100%')).toThrow(/OTEL_EXPORTER_OTLP_HEADERS must be .* % as %20, %2C and %25$/);
  expect(load('api-key=100%25==,x-team=sms')).toBeInstanceOf(AppConfig);
});

test.each(['collector:4318', 'http://collector:99999', 'http://[::1'])(
  'the collector %s is refused with the form of its address',
  (OTEL_EXPORTER_OTLP_ENDPOINT) => {
    expect(() => loadConfig(AppConfig, { ...GOOD, OTEL_EXPORTER_OTLP_ENDPOINT })).toThrow(
      /OTEL_EXPORTER_OTLP_ENDPOINT must be the address of a collector, as http:\/\/collector:4318$/,
    );
  },
);
