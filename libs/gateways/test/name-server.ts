import dgram from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/**
 * Answer to all questions about a name: its addresses of the family that is asked for, a fault, or nothing for
 * `silent`.
 */
export type NameAnswer = { addresses: string[]; ttl?: number } | keyof typeof FAULTS | 'silent';

/** A DNS server on loopback that counts its questions. */
export interface NameServer extends AsyncDisposable {
  /** In the notation of `setServers`. */
  address: string;
  /** Questions about a name, one per family and try. */
  questions: (name: string) => number;
  /** Resolves when `count` questions came for a name. */
  asked: (name: string, count: number) => Promise<void>;
}

const HEADER_BYTES = 12;
const AAAA = 28;

const FAULTS = {
  nxdomain: { flags: 0x8183 },
  servfail: { flags: 0x8182 },
  truncated: { flags: 0x8380 },
  garbage: { flags: 0x8180, tail: Buffer.alloc(40, 0xff), claims: 9 },
};

/** Starts a DNS server. Names that `answer` returns undefined for do not exist. */
export async function listenDns(
  answer: (name: string, type: 'A' | 'AAAA') => NameAnswer | undefined,
): Promise<NameServer> {
  const socket = dgram.createSocket('udp4');
  const counts = new Map<string, number>();
  socket.on('message', (question, { port, address }) => {
    const { name, type } = parse(question);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    socket.emit('asked');
    const bytes = replyTo(question, type, answer(name, type === AAAA ? 'AAAA' : 'A') ?? 'nxdomain');
    if (bytes) socket.send(bytes, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const questions = (name: string) => counts.get(name) ?? 0;
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async asked(name, count) {
      while (questions(name) < count) await once(socket, 'asked');
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function parse(question: Buffer): { name: string; type: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1) };
}

function replyTo(question: Buffer, type: number, answer: NameAnswer): Buffer | undefined {
  if (answer === 'silent') return undefined;
  if (typeof answer === 'string') return reply(question, FAULTS[answer]);
  const { addresses, ttl = 60 } = answer;
  const records = addresses.filter((address) => isIPv6(address) === (type === AAAA));
  const tail = Buffer.concat(records.map((address) => record(type, ttl, address)));
  return reply(question, { flags: 0x8180, tail, claims: records.length });
}

function reply(
  question: Buffer,
  { flags, tail = Buffer.alloc(0), claims = 0 }: { flags: number; tail?: Buffer; claims?: number },
): Buffer {
  const end = question.indexOf(0, HEADER_BYTES) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(claims, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, tail]);
}

/** A record about the name of the question. */
function record(type: number, ttl: number, address: string): Buffer {
  const bytes = type === AAAA ? bytesOfV6(address) : address.split('.').map(Number);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 + HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

function bytesOfV6(address: string): number[] {
  const [head = '', tail = ''] = address.split('::').map((half) => half.split(':').filter(Boolean).join(':'));
  const groups = (text: string) => (text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}
