import { expect, test } from '@jest/globals';
import { listenHttp } from '../test/listen.ts';
import { listenDns } from '../test/name-server.ts';
import { ImageFetcher } from './image-fetcher.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);

test('an image whose name has no answer delays no image of another account', async () => {
  await using server = await listenHttp((_, response) => void response.end(PNG));
  await using names = await listenDns((name) =>
    name === 'b.example' ? { addresses: ['127.0.0.1'] } : 'silent',
  );
  const images = new ImageFetcher({ allowPrivate: true, servers: [names.address] });
  let ended = 0;
  const lost = Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      images.fetch(`http://n${i}.example/`, 'a').finally(() => void (ended += 1)),
    ),
  );
  await names.asked('n7.example', 1);

  const image = await images.fetch(`http://b.example:${server.port}/`, 'b');

  expect(image).toEqual({ bytes: PNG, mimeType: 'image/png' });
  expect(ended).toBe(0);
  await images.close();
  for (const { status } of await lost) expect(status).toBe('rejected');
});

test('closing ends an image whose server hangs, and no further one is fetched', async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await listenHttp((_, response) => {
    response.writeHead(200).write(PNG);
    asked.resolve();
  });
  const images = new ImageFetcher({ allowPrivate: true });
  const url = `http://127.0.0.1:${server.port}/`;
  const hanging = Promise.allSettled([images.fetch(url, 'a')]);
  await asked.promise;

  await images.close();

  expect(await hanging).toMatchObject([{ status: 'rejected' }]);
  await expect(images.fetch(url, 'a')).rejects.toThrow('the process ends');
  expect(server.connects()).toBe(1);
});

test.each([
  ['a status 404', 404, '', true],
  ['a redirect', 302, '', true],
  ['another type of file', 200, 'GIF89a', true],
  ['6 MB', 200, Buffer.alloc(6 * 1024 * 1024), true],
  ['a status 503', 503, '', false],
  ['a status 429', 429, '', false],
  ['a status 408', 408, '', false],
])('an address that answers %s is permanently unusable or not', async (_name, status, body, isFinal) => {
  await using server = await listenHttp((_, response) => void response.writeHead(status).end(body));
  const images = new ImageFetcher({ allowPrivate: true });
  const fetched = await images.fetch(`http://127.0.0.1:${server.port}/`, 'a');
  expect(fetched).toEqual({ problem: expect.any(String), isFinal });
  await images.close();
});

test('an image whose server is unreachable is not permanently unusable', async () => {
  const server = await listenHttp(() => undefined);
  await server[Symbol.asyncDispose]();
  const images = new ImageFetcher({ allowPrivate: true });
  expect(await images.fetch(`http://127.0.0.1:${server.port}/`, 'a')).toHaveProperty('isFinal', false);
  await images.close();
});

test('an image at a private address is not fetched', async () => {
  await using server = await listenHttp((_, response) => void response.end(PNG));
  const images = new ImageFetcher({ allowPrivate: false });

  expect(await images.fetch(`http://127.0.0.1:${server.port}/`, 'a')).toHaveProperty('isFinal', true);

  expect(server.connects()).toBe(0);
  await images.close();
});
