import { type RequestListener, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { BODY, PNG, addAccount, openProvider, templatesOf } from '../../test/provider-under-test.ts';

/** A server of the images of cards. */
async function openImages(answer: RequestListener) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** Those that were asked for. */
    paths,
    /** A body, and a carousel of a card for each path. */
    components: (...given: string[]) => [
      BODY,
      {
        type: 'CAROUSEL',
        cards: given.map((path) => ({
          header: { type: 'IMAGE', image_url: url + path },
          body: 'One',
          buttons: [{ type: 'QUICK_REPLY', text: 'More' }],
        })),
      },
    ],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the images of a carousel are fetched and uploaded', async () => {
  await using t = await openProvider();
  await using images = await openImages((_, response) => void response.end(PNG));
  await t.registered(await t.create({ components: images.components('/a.png', '/a.png') }));

  const [upload] = [...t.graph.uploads.values()];
  const shown = {
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: [upload!.handle] } },
      { type: 'BODY', text: 'One' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'More' }] },
    ],
  };
  expect([...t.graph.templates.values()]).toMatchObject([
    { components: [{}, { type: 'CAROUSEL', cards: [shown, shown] }] },
  ]);
});

test('an image whose server fails for a moment is fetched again', async () => {
  await using t = await openProvider();
  let status = 503;
  await using images = await openImages((_, response) => void response.writeHead(status).end(PNG));
  const id = await t.create({ components: images.components('/a.png') });
  await t.run(async () => images.paths.length > 0 && (await t.find(id)).registration?.problem != null);
  expect(await t.find(id)).toMatchObject({
    status: 'PENDING',
    registration: { problem: 'A card of the carousel: the image answers with status 503.' },
  });
  status = 200;
  await t.registered(id);
});

test('a template with an image that is not there is rejected', async () => {
  await using t = await openProvider();
  await using images = await openImages((_, response) => void response.writeHead(404).end());
  const id = await t.create({ components: images.components('/a.png') });
  await t.run(async () => (await t.find(id)).status !== 'PENDING');
  expect(await t.find(id)).toMatchObject({
    status: 'REJECTED',
    rejectionReason: 'A card of the carousel: the image answers with status 404.',
  });
  expect(images.paths).toHaveLength(1);
});

test('a template with an image that fails for a day is rejected', async () => {
  await using t = await openProvider();
  await using images = await openImages((_, response) => void response.writeHead(503).end());
  const id = await t.create({ components: images.components('/a.png') });
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  await t.hasStarted(id, 30);
  await t.run(async () => (await t.find(id)).status !== 'PENDING');
  expect((await t.find(id)).status).toBe('REJECTED');
});

test('each image is uploaded before the next is fetched', async () => {
  await using t = await openProvider();
  const order: string[] = [];
  await using images = await openImages((request, response) => {
    order.push(`fetched ${request.url}`);
    response.end(PNG);
  });
  t.graph.intercept = ({ method, path }) => {
    if (method === 'POST' && path.startsWith('/upload:')) order.push('uploaded');
    return undefined;
  };
  await t.registered(await t.create({ components: images.components('/a', '/b', '/c') }));
  expect(order).toEqual(['fetched /a', 'uploaded', 'fetched /b', 'uploaded', 'fetched /c', 'uploaded']);
});

test('no image is fetched for a gateway without an appId', async () => {
  await using t = await openProvider({ settings: { appId: undefined } });
  await using images = await openImages((_, response) => void response.end(PNG));
  const id = await t.create({ components: images.components('/a') });
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  expect((await t.find(id)).registration?.problem).toContain('appId');
  expect(images.paths).toEqual([]);
});

test('no other worker claims a template while its file is transferred', async () => {
  await using t = await openProvider();
  await t.addMedia('our-handle');
  const end = Promise.withResolvers<void>();
  let isTransferred = false;
  t.graph.intercept = ({ method, path }) => {
    if (method !== 'POST' || !path.startsWith('/upload:')) return undefined;
    isTransferred = true;
    return { after: end.promise };
  };
  const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['our-handle'] } };
  const id = await t.create({ components: [header, BODY] });
  await t.run(async () => isTransferred);
  expect(await t.secondsToClaim(id)).toBeGreaterThan(420);
  end.resolve();
  await t.registered(id);
});

test('a template that another worker claimed meanwhile is skipped', async () => {
  await using t = await openProvider();
  const end = Promise.withResolvers<void>();
  let isAsked = false;
  t.graph.intercept = ({ method, query }) => {
    if (isAsked || method !== 'GET' || query.get('name') !== 'first') return undefined;
    isAsked = true;
    return { after: end.promise };
  };
  await t.create({ name: 'first' });
  const second = await t.create({ name: 'second' });
  const third = await t.create({ name: 'third' });
  await t.run(async () => isAsked);
  await t.hasStarted(second, 2);
  end.resolve();
  await t.registered(third);
  expect(t.posts().map(({ body }) => body['name'])).toEqual(['first', 'third']);
});

test('a template that another worker claims during the upload of an image is left to it', async () => {
  await using t = await openProvider();
  await using images = await openImages((_, response) => void response.end(PNG));
  const end = Promise.withResolvers<void>();
  let isTransferred = false;
  t.graph.intercept = ({ method, path }) => {
    if (isTransferred || method !== 'POST' || !path.startsWith('/upload:')) return undefined;
    isTransferred = true;
    return { after: end.promise };
  };
  const id = await t.create({ name: 'first', components: images.components('/a', '/b') });
  const second = await t.create({ name: 'second' });
  await t.run(async () => isTransferred);
  await t.hasStarted(id, 2);
  end.resolve();
  await t.registered(second);
  expect(images.paths).toEqual(['/a']);
  expect(t.posts().map(({ body }) => body['name'])).toEqual(['second']);
  expect((await t.find(id)).registration?.problem).toBeNull();
});

test('images of one account that never come delay no template of another', async () => {
  await using t = await openProvider();
  await using images = await openImages(() => undefined);
  const msisdn = '15550900001';
  t.graph.numbers.push({ id: '106549', display_phone_number: `+${msisdn}` });
  const other = templatesOf(await addAccount(msisdn));
  for (let i = 0; i < 8; i += 1)
    await t.create({ name: `slow_${i}`, components: images.components('/a.png') });
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) ids.push(await other.create({ name: `order_${i}` }));

  for (const id of ids)
    await t.run(async () => (await other.find(id)).registration?.gatewayTemplateId != null);
  expect(t.graph.templates.size).toBe(5);
  expect(images.paths).toEqual(['/a.png']);
});
