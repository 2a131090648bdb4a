import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportSpans } from '@signalbox/runtime/span-exporter';
import { isTracing } from '@signalbox/runtime/tracing';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { startCollector } from '../support/span-collector.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

let p: Pipeline;
beforeAll(async () => {
  p = await startPipeline({ queue: A_QUEUE, env: { SIMULATOR_DELAY_MS: '0' } });
});
afterAll(async () => p[Symbol.asyncDispose]());

test('a send is one trace from the request to its push, linked with its batches and the caller', async () => {
  await using receiver = await startReceiver();
  const { body } = await p.post('/v1/webhooks', { name: 'reports', endPoint: receiver.url });
  const { id } = body['data'] as { id: string };
  const { exporter, spans } = startCollector();
  const end = exportSpans('test', exporter, 1);

  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const sent = await p.post(
    '/v1/sms',
    { sender: 'SIGNALBX', to: '919812345678', text: 'Hello', type: 'TRANS' },
    { traceparent },
  );
  await waitFor(async () => (await listDelivered(id)).length === 1, {
    otherwise: 'the report was not pushed',
  });
  await end();

  expect(isTracing()).toBe(false);
  const traceId = String(sent.body['id']).replaceAll('-', '');
  const own = spans().filter((span) => span.traceId === traceId);
  const first = traceId.slice(16);
  expect(own).toHaveLength(4);
  expect(Object.fromEntries(own.map(({ name, parentId }) => [name, parentId]))).toEqual({
    'POST /v1/sms': undefined,
    push: first,
    report: first,
    submit: first,
  });
  const byName = new Map(spans().map((span) => [span.name, span]));
  expect(byName.get('POST /v1/sms')).toMatchObject({ spanId: first, links: [CALLER] });
  for (const [batch, part] of [
    ['submit batch', 'submit'],
    ['apply reports', 'report'],
  ] as const) {
    const { links, ...batchSpan } = byName.get(batch)!;
    expect(links).toEqual([{ traceId, spanId: first }]);
    expect(byName.get(part)?.links).toEqual([{ traceId: batchSpan.traceId, spanId: batchSpan.spanId }]);
  }
  expect(JSON.stringify(spans())).not.toMatch(/919812345678|Hello/);
});

/** Lists the deliveries whose calls are recorded. */
async function listDelivered(webhookId: string): Promise<unknown[]> {
  const answer = await p.get(`/v1/webhooks/${webhookId}/deliveries?status=delivered`);
  return answer.body['data'] as unknown[];
}

test('a share of 0 exports no span', async () => {
  const { exporter, spans } = startCollector();
  const end = exportSpans('test', exporter, 0);

  await p.post('/v1/sms', { sender: 'SIGNALBX', to: '919812345678', text: 'Hello', type: 'TRANS' });
  await end();

  expect(spans()).toEqual([]);
});
