import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { breakOffWhenStalled } from './stalled-answer.ts';

test('an answer that its client stops reading is broken off, and its source released', async () => {
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) });
  const server = createServer((_, response) => {
    breakOffWhenStalled(response, 50);
    endless.pipe(response);
    response.on('close', () => endless.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');

  await once(endless, 'close');

  expect(endless.destroyed).toBe(true);
  client.destroy();
  server.close();
});

test('an answer with a silent source continues, and is broken off once its client reads nothing', async () => {
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) });
  const server = createServer((_, response) => {
    breakOffWhenStalled(response, 50);
    response.write('begun');
    response.once('timeout', () => response.write('resumed'));
    begun.resolve(response);
  });
  const begun = Promise.withResolvers<ServerResponse>();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');

  let text = '';
  for await (const piece of client.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += piece;
    if (text.includes('resumed')) break;
  }
  expect(text).toContain('resumed');
  const response = await begun.promise;
  endless.pipe(response);
  response.on('close', () => endless.destroy());
  await once(endless, 'close');

  expect(response.writableFinished).toBe(false);
  client.destroy();
  server.close();
});

test('an answer that is written needs no timer', async () => {
  const server = createServer((_, response) => {
    response.end('ok', () => {
      breakOffWhenStalled(response, 12_345);
      timeout.resolve(response.req.socket.timeout);
    });
  });
  const timeout = Promise.withResolvers<number | undefined>();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');

  expect(await timeout.promise).not.toBe(12_345);
  client.destroy();
  server.close();
});
