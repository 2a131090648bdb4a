import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { runCli } from '@signalbox/test/run-cli';

const ACCEPTED = { data: [{ recipient: '919800000001', messageId: 'id:1' }] };

test('a call keeps the path of SIGNALBOX_URL, with a slash at its end or without', async () => {
  const paths: (string | undefined)[] = [];
  await using api = await serve(({ url }, response) => {
    paths.push(url);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ACCEPTED));
  });

  for (const path of ['/sms', '/sms/', '']) await api.run(path, 'send', '919800000001', '--', '-50 % today');

  expect(paths).toEqual(['/sms/v1/sms', '/sms/v1/sms', '/v1/sms']);
});

/** Serves as the API. */
async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const before = { ...process.env };
  Object.assign(process.env, { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: 'key' });
  return {
    /** Runs a command on the API at a path. */
    run: (path: string, ...args: string[]) => runCli({ SIGNALBOX_URL: `${url}${path}` }, ...args),
    [Symbol.asyncDispose]: async () => {
      process.env = before;
      server.close();
      server.closeAllConnections();
    },
  };
}
