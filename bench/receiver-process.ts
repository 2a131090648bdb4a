import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCommands } from './side-process.ts';

/** Counts of the receiver since its last reset. */
export interface Receipts {
  count: number;
  /** When the last call came, as `Date.now()`. */
  lastAt: number;
  /** From the generation of a message's id, at its acceptance, to its webhook call; undefined before the first. */
  p50Ms: number | undefined;
  p99Ms: number | undefined;
}

/** Calls by latency in milliseconds; the last place counts all slower ones. */
const latencies = new Uint32Array(120_001);
const MESSAGE_ID = Buffer.from('"messageId":"');

let count = 0;
let lastAt = 0;

/** The endpoint of the bench's webhook: counts the calls and answers 200 immediately. */
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  request.on('data', (body: Buffer) => {
    count += 1;
    lastAt = Date.now();
    const latencyMs = lastAt - acceptedAt(body);
    latencies[Math.min(Math.max(latencyMs, 0), latencies.length - 1)]! += 1;
  });
  request.on('end', () => response.end('ok'));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  answerCommands({
    url: () => `http://127.0.0.1:${port}/reports`,
    count: () => count,
    receipts: (): Receipts => ({ count, lastAt, p50Ms: percentile(0.5), p99Ms: percentile(0.99) }),
    reset: () => {
      count = 0;
      latencies.fill(0);
    },
  });
});

/** A message id begins with a UUIDv7, and that with 48 bits of Unix milliseconds. */
function acceptedAt(body: Buffer): number {
  const at = body.indexOf(MESSAGE_ID) + MESSAGE_ID.length;
  return Number.parseInt(body.toString('latin1', at, at + 8) + body.toString('latin1', at + 9, at + 13), 16);
}

function percentile(share: number): number | undefined {
  if (count === 0) return undefined;
  let left = share * count;
  return latencies.findIndex((calls) => (left -= calls) <= 0);
}
