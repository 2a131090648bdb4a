import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { addEntryHooks } from './entry-hooks.ts';

const BODY_TIMEOUT_MS = 50;

test('an upload has more time than another body, however its type is written', async () => {
  const server = fastify();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
  addEntryHooks(server, BODY_TIMEOUT_MS);
  server.post('/', () => 'read');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const upload = begin(port, 'Multipart/Form-Data; boundary=b');
  let answer = '';
  upload.on('data', (data) => (answer += data));
  const other = begin(port, 'application/json');

  const [timedOut] = (await once(other, 'data')) as [Buffer];

  expect(String(timedOut)).toContain('HTTP/1.1 408');
  expect(answer).toBe('');
  upload.destroy();
  other.destroy();
  await server.close();
});

/** Sends the head and the first byte of a request. */
function begin(port: number, type: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 10\r\n\r\nx`);
  return socket;
}
