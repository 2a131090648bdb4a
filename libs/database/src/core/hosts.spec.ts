import { expect, test } from '@jest/globals';
import { Hosts } from './hosts.ts';

test('each host of an address is taken in turn, and left once however many connections to it fail', () => {
  const hosts = Hosts.of('postgres://user:p%40ss@pg1:5432,[::1]:5433/signalbox?sslmode=require');
  const first = hosts.current;

  hosts.leave(first);
  hosts.leave(first);

  expect([first, hosts.current]).toEqual([
    'postgres://user:p%40ss@pg1:5432/signalbox?sslmode=require',
    'postgres://user:p%40ss@[::1]:5433/signalbox?sslmode=require',
  ]);
});
