import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { addEntryHooks } from './entry-hooks.ts';

const BODY_TIMEOUT_MS = 50;

test('an upload has more time than another body, however its type is written', async () => {
  const server = fastify();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
  addEntryHooks(server, BODY_TIMEOUT_MS);
  server.post('/', { config: { multipart: true } }, () => 'read');
  server.post('/elsewhere', () => 'read');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const upload = begin(port, 'Multipart/Form-Data; boundary=b');
  let answer = '';
  upload.on('data', (data) => (answer += data));
  const others = [
    begin(port, 'application/json'),
    begin(port, 'multipart/form-data; boundary=b', '/elsewhere'),
  ];

  const timedOut = await Promise.all(others.map((other) => once(other, 'data')));

  for (const [text] of timedOut) expect(String(text)).toContain('HTTP/1.1 408');
  expect(answer).toBe('');
  for (const socket of [upload, ...others]) socket.destroy();
  await server.close();
});

test('a request waits for the answers to earlier ones of its connection', async () => {
  const server = fastify();
  addEntryHooks(server, BODY_TIMEOUT_MS);
  let running = 0;
  const seen: number[] = [];
  server.get('/:n', async ({ params }) => {
    seen.push(++running);
    await setImmediate();
    running -= 1;
    return (params as { n: string }).n;
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  const lines = Array.from({ length: 20 }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: localhost\r\n`);
  client.write(`${lines.join('\r\n')}Connection: close\r\n\r\n`);

  const text = (await client.setEncoding('utf8').toArray()).join('');

  expect(text.match(/(?<=\r\n\r\n)\d+/g)).toEqual(lines.map((_, n) => `${n}`));
  expect(seen).toEqual(lines.map(() => 1));
  await server.close();
});

test('a connection is closed once more than a hundred requests wait for an answer', async () => {
  const server = fastify();
  addEntryHooks(server, BODY_TIMEOUT_MS);
  const opened = Promise.withResolvers<void>();
  let begun = 0;
  server.get('/', async () => {
    begun += 1;
    await opened.promise;
    return 'answer';
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
  const [few, many] = [100, 101].map((waiting) => {
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    client.write(`${request}\r\n`.repeat(waiting) + `${request}Connection: close\r\n\r\n`);
    return client.setEncoding('utf8');
  });

  const ofMany = await many!.toArray();
  opened.resolve();
  const ofFew = (await few!.toArray()).join('');

  expect(ofMany).toEqual([]);
  expect(ofFew.match(/answer/g)).toHaveLength(101);
  expect(begun).toBe(102);
  await server.close();
});

test('a client that does not read its answer is cut', async () => {
  const server = fastify();
  addEntryHooks(server, BODY_TIMEOUT_MS, 50);
  const closed = Promise.withResolvers<boolean>();
  server.get('/', (_request, reply) => {
    reply.raw.once('close', () => closed.resolve(reply.raw.writableFinished));
    return Buffer.alloc(64 * 1024 * 1024);
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');

  expect(await closed.promise).toBe(false);
  client.destroy();
  await server.close();
});

/** Sends the head and the first byte of a request. */
function begin(port: number, type: string, path = '/'): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 10\r\n\r\nx`,
  );
  return socket;
}
