import { expect, test } from '@jest/globals';
import { parseRedisAddress } from './queue-url.ts';

test('a server is named with its login and database', () => {
  expect(parseRedisAddress('rediss://app:p%40ss%3A1@[::1]:6380/2?family=6')).toEqual({
    kind: 'single',
    server: { host: '::1', port: 6_380 },
    database: 2,
    login: { username: 'app', password: 'p@ss:1' },
    hasTls: true,
    parameters: { family: '6' },
  });
  expect(parseRedisAddress('redis://n1')).toMatchObject({
    server: { host: 'n1', port: 6_379 },
    database: 0,
    login: {},
    hasTls: false,
  });
});

test('sentinels are named with the primary that they watch', () => {
  const url = 'rediss+sentinel://app:p%40ss:1@s1:26380,[::1]:26381,s3/2?master=jobs&sentinelPassword=other';

  expect(parseRedisAddress(url)).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 's1', port: 26_380 },
      { host: '::1', port: 26_381 },
      { host: 's3', port: 26_379 },
    ],
    master: 'jobs',
    database: 2,
    login: { username: 'app', password: 'p@ss:1' },
    sentinelLogin: { password: 'other' },
    hasTls: true,
  });
});

test('a cluster is named by some of its nodes', () => {
  expect(parseRedisAddress('redis+cluster://:secret@n1,n2:7001')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'n1', port: 6_379 },
      { host: 'n2', port: 7_001 },
    ],
    login: { password: 'secret' },
    hasTls: false,
  });
});

test.each([
  ['http://n1', /^QUEUE_URL must be redis:/],
  ['redis://n1:6379,n2:6379', /^QUEUE_URL must be redis:/],
  ['redis://:secret@n1/jobs', /number of a database/],
  ['redis://:%@n1', /cannot be read/],
  ['redis+sentinel://:secret@s1', /names no primary/],
  ['redis+sentinel://:secret@s1/?master=m&db=1', /parameter db/],
  ['redis+sentinel://:secret@s1/jobs?master=m', /number of a database/],
  ['redis+cluster://:secret@n1,', /number 2 of its hosts/],
  ['redis+cluster://:secret@n1:70000', /number 1 of its hosts/],
  ['redis+cluster://:secret@n1/1', /one database/],
  ['redis+cluster://:%@n1', /cannot be read/],
])('%s is refused with its reason, and without its password', (url, reason) => {
  const parse = () => parseRedisAddress(url);

  expect(parse).toThrow(reason);
  expect(parse).not.toThrow(/secret/);
});
