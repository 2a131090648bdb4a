import { expect, test } from '@jest/globals';
import { Hosts } from './hosts.ts';

test('hosts are used in turn, and several failed connections count as one failure', () => {
  const hosts = Hosts.of('postgres://user:p%40ss@pg1:5432,[::1]:5433/signalbox?sslmode=require');
  const first = hosts.current;

  hosts.leave(first);
  hosts.leave(first);

  expect([first, hosts.current]).toEqual([
    'postgres://user:p%40ss@pg1:5432/signalbox?sslmode=require',
    'postgres://user:p%40ss@[::1]:5433/signalbox?sslmode=require',
  ]);
});
