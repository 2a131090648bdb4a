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

test.each([
  ['of an image that is not there', { starts: 0, status: 404 }],
  ['of an image that fails for a day', { starts: 40, status: 503 }],
])('a template %s is rejected', async (_name, { starts, status }) => {
  await using t = await openProvider();
  await using images = await openImages((_, response) => void response.writeHead(status).end());
  const id = await t.create({ components: images.components('/a.png') });
  await t.enrol();
  await t.hasStarted(id, starts);
  await t.run(async () => (await t.find(id)).status !== 'PENDING');
  expect(await t.find(id)).toMatchObject({
    status: 'REJECTED',
    rejectionReason: `A card of the carousel: the image answers with status ${status}.`,
  });
});

test('images of one account that never come delay no template of another', async () => {
  await using t = await openProvider();
  await using images = await openImages(() => undefined);
  const msisdn = '15550900001';
  t.graph.numbers.push({ id: '106549', display_phone_number: `+${msisdn}` });
  const other = templatesOf(await addAccount(msisdn));
  for (let i = 0; i < 8; i += 1)
    await t.create({ name: `slow_${i}`, components: images.components('/a.png') });
  const id = await other.create();

  await t.run(async () => (await other.find(id)).registration?.gatewayTemplateId != null);
  expect([...t.graph.templates.values()]).toMatchObject([{ name: 'order' }]);
});
