import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type NameAnswer, listenDns } from '../test/name-server.ts';
import { checkEndpointAddress } from './address-guard.ts';
import { EndpointResolver, type EndpointResolverOptions } from './endpoint-resolver.ts';

/** A name server with these names, and a resolver that asks it by a clock that only `wait` moves. */
async function setup(names: Record<string, NameAnswer>, options: Partial<EndpointResolverOptions> = {}) {
  const server = await listenDns((name) => (name.endsWith('.silent.example') ? 'silent' : names[name]));
  let clockMs = 0;
  const resolver = new EndpointResolver({
    allowPrivate: false,
    servers: [server.address],
    now: () => clockMs,
    ...options,
  });
  return {
    server,
    resolver,
    names,
    look: async (name: string, accountId = 'a') =>
      (await resolver.lookup(name, accountId)).map(({ address }) => address),
    wait: (ms: number) => void (clockMs += ms),
    async [Symbol.asyncDispose]() {
      resolver.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const silent = (count: number) => Array.from({ length: count }, (_, i) => `n${i}.silent.example`);

/** Both families, each asked once. */
const ONE_LOOKUP = 2;

test('a name has the addresses of both families, IPv4 first', async () => {
  await using t = await setup({ 'a.example': { addresses: ['2606:4700::1111', '1.1.1.1', '1.0.0.1'] } });

  expect(await t.resolver.lookup('A.example.')).toEqual([
    { address: '1.1.1.1', family: 4 },
    { address: '1.0.0.1', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
});

test('50 silent names of one account do not delay the names of another account', async () => {
  const healthy = Array.from({ length: 9 }, (_, i) => `b${i}.example`);
  await using t = await setup(Object.fromEntries(healthy.map((name) => [name, { addresses: ['1.1.1.1'] }])));
  let ended = 0;
  const lost = Promise.allSettled(silent(50).map((name) => t.look(name).finally(() => void (ended += 1))));
  await t.server.asked('n0.silent.example', 1);

  for (const name of healthy) expect(await t.look(name, 'b')).toEqual(['1.1.1.1']);

  expect(ended).toBe(0);
  t.resolver.close();
  expect((await lost).map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
});

test('a closed resolver lets its process end, with lookups under way and others that wait', async () => {
  await using server = await listenDns(() => 'silent');
  const execArgv = [
    '--experimental-transform-types',
    '--disable-warning=ExperimentalWarning',
    '--conditions=source',
  ];
  const caller = fork(join(import.meta.dirname, '../test/lookups-process.ts'), [server.address], {
    execArgv,
  });
  await server.asked('n7.silent.example', 1);

  caller.send('close');

  expect(await once(caller, 'exit')).toEqual([0, null]);
});

test('an account has 8 lookups under way, and its others wait in order', async () => {
  const answer = { addresses: ['1.1.1.1'] };
  await using t = await setup({ 'a.example': answer, 'b.example': answer }, { limitMs: 1_000 });
  const lost = Promise.allSettled(silent(8).map((name) => t.look(name)));
  const last = t.look('a.example');
  await t.look('b.example', 'b'); // its question is sent after any for a.example

  expect(t.server.questions('a.example')).toBe(0);

  expect(await last).toEqual(['1.1.1.1']);
  await lost;
});

test('a lookup that waited longer than its limit for a place is never made', async () => {
  await using t = await setup({ 'a.example': { addresses: ['1.1.1.1'] } }, { limitMs: 300 });
  const lost = Promise.allSettled(silent(8).map((name) => t.look(name)));
  const late = t.look('a.example');
  t.wait(300);

  await expect(late).rejects.toMatchObject({ code: 'ETIMEOUT' });
  await lost;
  expect(t.server.questions('a.example')).toBe(0);
});

test('a name that another account looks up does not wait for a place of a full account', async () => {
  await using t = await setup({ 'a.example': { addresses: ['1.1.1.1'] } });
  const lost = Promise.allSettled([...silent(8), 'a.example'].map((name) => t.look(name)));

  expect(await t.look('a.example', 'b')).toEqual(['1.1.1.1']);

  t.resolver.close();
  await lost;
});

test('concurrent callers of a name share one lookup', async () => {
  await using t = await setup({ 'a.example': { addresses: ['1.1.1.1'] } });

  const all = await Promise.all(['a', 'a', 'b', 'c'].map((account) => t.look('a.example', account)));

  expect(all.flat()).toEqual(Array(4).fill('1.1.1.1'));
  expect(t.server.questions('a.example')).toBe(ONE_LOOKUP);
});

test('an answer is kept for its time to live, and a change is seen after it', async () => {
  await using t = await setup({ 'a.example': { addresses: ['1.1.1.1'], ttl: 60 } });
  await t.look('a.example');
  t.names['a.example'] = { addresses: ['1.0.0.1'], ttl: 60 };

  t.wait(59_999);
  expect(await t.look('a.example')).toEqual(['1.1.1.1']);
  expect(t.server.questions('a.example')).toBe(ONE_LOOKUP);

  t.wait(1);
  expect(await t.look('a.example')).toEqual(['1.0.0.1']);
});

test.each([
  ['0 seconds is kept for 5 seconds', 0, 5_000],
  ['a week is kept for 5 minutes', 604_800, 300_000],
])('an answer for %s', async (_, ttl, keptMs) => {
  await using t = await setup({ 'a.example': { addresses: ['1.1.1.1'], ttl } });
  await t.look('a.example');

  t.wait(keptMs - 1);
  await t.look('a.example');
  expect(t.server.questions('a.example')).toBe(ONE_LOOKUP);

  t.wait(1);
  await t.look('a.example');
  expect(t.server.questions('a.example')).toBe(2 * ONE_LOOKUP);
});

test('a name that does not exist is not asked for again for 5 seconds', async () => {
  await using t = await setup({});
  await expect(t.look('new.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  t.names['new.example'] = { addresses: ['1.1.1.1'] };

  t.wait(4_999);
  await expect(t.look('new.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(t.server.questions('new.example')).toBe(ONE_LOOKUP);

  t.wait(1);
  expect(await t.look('new.example')).toEqual(['1.1.1.1']);
});

test.each<[string, NameAnswer, string]>([
  ['a failing name server', 'servfail', 'ESERVFAIL'],
  ['a truncated answer that TCP does not complete', 'truncated', 'ECONNREFUSED'],
  ['a malformed answer', 'garbage', 'EBADRESP'],
  ['a name without addresses', { addresses: [] }, 'ENODATA'],
  ['more than 64 addresses', { addresses: Array.from({ length: 65 }, (_, i) => `1.1.1.${i}`) }, 'EBADRESP'],
])('%s is an error', async (_, answer, code) => {
  await using t = await setup({ 'a.example': answer }, { limitMs: 10_000 });
  await expect(t.look('a.example')).rejects.toMatchObject({ name: 'NameError', code });
});

test('a silent name server is an error after the limit, and is asked again a second later', async () => {
  await using t = await setup({}, { limitMs: 200 });
  const [name = ''] = silent(1);

  await expect(t.look(name)).rejects.toMatchObject({ code: 'ETIMEOUT' });

  await t.server.asked(name, ONE_LOOKUP); // on a busy machine, questions arrive after the limit
  expect(t.server.questions(name)).toBe(ONE_LOOKUP);
  t.wait(1_000);
  await expect(t.look(name)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  await t.server.asked(name, 2 * ONE_LOOKUP);
  expect(t.server.questions(name)).toBe(2 * ONE_LOOKUP);
});

test('the addresses of one family count if the other one is never answered', async () => {
  await using server = await listenDns((_, type) =>
    type === 'AAAA' ? 'silent' : { addresses: ['1.1.1.1'] },
  );
  const resolver = new EndpointResolver({ allowPrivate: false, servers: [server.address], limitMs: 60_000 });

  expect(await resolver.lookup('a.example')).toEqual([{ address: '1.1.1.1', family: 4 }]);
});

test('a name with one forbidden address is refused', async () => {
  await using t = await setup({
    'mixed.example': { addresses: ['1.1.1.1', '2606:4700::1111', '::1'] },
    'public.example': { addresses: ['1.1.1.1', '2606:4700::1111'] },
  });
  const check = (host: string) => checkEndpointAddress(new URL(`https://${host}/`), t.resolver, 'a');

  expect(await check('mixed.example')).toBe('endpoint_forbidden');
  expect(await check('public.example')).toBeUndefined();
});

test('names of the hosts file resolve only where private addresses are permitted', async () => {
  const hostsPath = join(tmpdir(), `hosts-${process.pid}`);
  await writeFile(
    hostsPath,
    '# names\n10.1.2.3  Receiver receiver.lan # ours\nfd00::3\treceiver\nno address\n',
  );
  await using open = await setup({}, { allowPrivate: true, hostsPath });
  await using strict = await setup({}, { hostsPath });

  expect(await open.look('receiver')).toEqual(['10.1.2.3', 'fd00::3']);
  expect(await open.look('receiver.lan')).toEqual(['10.1.2.3']);
  await expect(strict.look('receiver')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('localhost and the names below it are this machine, whatever a name server says', async () => {
  await using t = await setup({ 'api.localhost': { addresses: ['1.1.1.1'] } }, { hostsPath: '/nowhere' });

  expect(await t.look('api.localhost')).toEqual(['127.0.0.1', '::1']);
});
