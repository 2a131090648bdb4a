import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { exportSpans, openExporter } from './span-exporter.ts';
import { traceSpan } from './tracing.ts';

test('the collector gets the headers whole, also values with an equals sign', async () => {
  await using collector = createServer((_, response) => void response.end()).listen(0, '127.0.0.1');
  const called = once(collector, 'request') as Promise<[IncomingMessage]>;
  await once(collector, 'listening');
  const exporter = openExporter({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dXNlcjpwYXNzdw==,x-team=sms',
  });
  const stop = exportSpans('test', exporter, 1);

  traceSpan({ name: 'push', kind: 'client', startMs: 1, endMs: 2, attributes: {} });
  await stop();

  const [{ headers }] = await called;
  expect(headers).toMatchObject({ authorization: 'Basic dXNlcjpwYXNzdw==', 'x-team': 'sms' });
});
