import { Agent, request } from 'node:http';
import { breakText, hostileText, mutate } from './mutation.ts';
import type { KnownIds, Operation } from './operations.ts';
import { pick } from './random.ts';

const TIMEOUT_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

export interface MutantRequest {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Answer {
  /** A failure by its code, `timeout` among them. */
  status: number | string;
  type: string;
  text: string;
}

interface MakerOptions {
  operations: Operation[];
  ids: KnownIds;
  apiKey: string;
  random: () => number;
}

/** Derives requests from the operations of a document, their examples and known ids. */
export class MutantMaker {
  private readonly options: MakerOptions;

  constructor(options: MakerOptions) {
    this.options = options;
  }

  make(): MutantRequest {
    const { operations, random } = this.options;
    const operation = pick(random, operations);
    const body = this.bodyOf(operation);
    return {
      operation,
      method: operation.method,
      path: this.pathOf(operation) + this.queryOf(operation),
      headers: this.headersOf(operation, body),
      body,
    };
  }

  private pathOf({ path }: Operation): string {
    const { random, ids } = this.options;
    return path.replaceAll(/\{\w+\}/g, () => {
      const known = random() < 0.8 ? ids.find(random, path) : undefined;
      return encode(known ?? hostileText(random)).slice(0, 2_000) || 'x';
    });
  }

  private queryOf({ query }: Operation): string {
    const { random, ids } = this.options;
    const pairs = query
      .filter(() => random() < 0.3)
      .map((name) => {
        const known = /id$/i.test(name)
          ? ids.find(random, '')
          : pick(random, ['10', '2026-11-01T00:00:00Z', 'sms']);
        return `${name}=${encode(random() < 0.4 && known !== undefined ? known : hostileText(random))}`;
      });
    if (random() < 0.03) pairs.push(`${encode(hostileText(random)).slice(0, 100)}=1`);
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  }

  private bodyOf({ method, bodies, isUpload, path }: Operation): Buffer {
    const { random } = this.options;
    if (isUpload) return upload(random);
    if (method === 'GET' || method === 'DELETE' || bodies.length === 0)
      return random() < 0.05 ? Buffer.from(JSON.stringify(mutate(random, {}, 1))) : Buffer.alloc(0);
    const example = this.local(pick(random, bodies), path);
    const text = JSON.stringify(mutate(random, example, Math.floor(random() * 4)));
    return random() < 0.03 ? breakText(random, text) : Buffer.from(text);
  }

  /** The example with addresses of this machine and, sometimes, ids that exist. */
  private local(example: object, path: string): unknown {
    const { random, ids } = this.options;
    return JSON.parse(JSON.stringify(example), (name: string, value: unknown) => {
      if (typeof value !== 'string') return value;
      if (/^https?:/.test(value)) return `http://127.0.0.1:9/${encodeURIComponent(value.slice(-20))}`;
      if (/^(id|name|.*Id)$/.test(name) && random() < 0.5) return ids.find(random, path) ?? value;
      return value;
    });
  }

  private headersOf({ takesKey, isUpload }: Operation, body: Buffer): Record<string, string> {
    const { random, apiKey } = this.options;
    const type = isUpload ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json';
    const headers: Record<string, string> = { apikey: apiKey };
    if (body.length > 0) {
      headers['content-type'] =
        random() < 0.02 ? pick(random, ['text/plain', 'application/xml', 'x', type]) : type;
      headers['content-length'] = String(body.length);
    }
    if (takesKey && random() < 0.2) headers['idempotency-key'] = `k${Math.floor(random() * 500)}`;
    if (random() < 0.02) headers['accept'] = pick(random, ['text/csv', '*/*', 'application/xml', '']);
    if (random() < 0.001) headers['apikey'] = 'sb_test_x';
    return headers;
  }
}

/** Sends a request and reads the answer; never rejects. */
export function sendMutant(apiUrl: string, { method, path, headers, body }: MutantRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ status: error.code ?? error.message, type: '', text: '' });
    const call = request(apiUrl + path, { agent, method, headers, timeout: TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', fail);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      );
    });
    call.on('timeout', () => call.destroy(new Error('timeout')));
    call.on('error', fail);
    call.end(body);
  });
}

const BOUNDARY = 'mutant';
const BEGINNINGS = [
  [0xff, 0xd8, 0xff, 0xe0],
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  [0x25, 0x50, 0x44, 0x46, 0x2d],
  [0, 0, 0, 0x10, 0x66, 0x74, 0x79, 0x70, 0x69, 0x73, 0x6f, 0x6d, 0, 0, 0, 0],
];

function upload(random: () => number): Buffer {
  const type = pick(random, ['image/jpeg', 'image/png', 'video/mp4', 'application/pdf', 'text/html']);
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${encode(hostileText(random)).slice(0, 60)}"\r\nContent-Type: ${type}\r\n\r\n`;
  const content = Array.from({ length: Math.floor(random() * 5_000) }, () => Math.floor(random() * 256));
  const end = random() < 0.9 ? `\r\n--${BOUNDARY}--\r\n` : '';
  const file = Buffer.from([...pick(random, BEGINNINGS), ...content]);
  return Buffer.concat([Buffer.from(head), file, Buffer.from(end)]);
}

/** Percent-encodes text; a lone surrogate becomes bytes that are no UTF-8. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80';
}
