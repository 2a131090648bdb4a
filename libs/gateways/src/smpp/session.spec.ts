import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { ManualClock } from '../../test/manual-clock.ts';
import { type Smsc, type SmscConnection, type SmscOptions, startSmsc } from '../../test/smsc.ts';
import type { Answer } from './in-flight.ts';
import { type Pdu, type ShortMessage, emptyMessage } from './pdu.ts';
import { SmppSession } from './session.ts';

interface Setup extends AsyncDisposable {
  session: SmppSession;
  smsc: Smsc;
  peer: SmscConnection;
  clock: ManualClock;
  received: string[];
  /** Submits a text; the answers collect in `answers`. */
  submit: (text: string) => void;
  answers: Record<string, Answer>;
}

/** Connects a session to a scripted SMSC, on a clock that stands still. */
async function setup(
  options: SmscOptions & { window?: number; receive?: (message: ShortMessage) => Promise<void> } = {},
): Promise<Setup> {
  const smsc = await startSmsc(options);
  const socket = net.connect(smsc.port, '127.0.0.1');
  await once(socket, 'connect');
  const clock = new ManualClock();
  const received: string[] = [];
  const answers: Record<string, Answer> = {};
  const store = async (message: ShortMessage): Promise<void> => void received.push(message.source);
  const session = new SmppSession(socket, {
    clock,
    window: options.window ?? 10,
    responseMs: 60_000,
    enquireMs: 20_000,
    maxHandlers: 3,
    receive: options.receive ?? store,
    onUnreadable: () => undefined,
    onRoom: () => undefined,
  });
  await waitFor(() => smsc.connections.length === 1);
  return {
    session,
    smsc,
    peer: smsc.connections[0]!,
    clock,
    received,
    answers,
    submit: (text) => session.send(submitSm(text), { done: (answer) => void (answers[text] = answer) }),
    async [Symbol.asyncDispose]() {
      session.end('the test has ended');
      await smsc[Symbol.asyncDispose]();
    },
  };
}

const submitSm = (text: string) => ({ command: 'submit_sm' as const, message: messageOf(text) });
const messageOf = (text: string, source = '1'): ShortMessage => ({
  ...emptyMessage(),
  source,
  shortMessage: Buffer.from(text),
});
const silent = (): void => undefined;
const submits = (pdus: Pdu[]) => pdus.filter(({ command }) => command === 'submit_sm');
const commands = (pdus: Pdu[]) => pdus.map(({ command }) => command);

describe('the answer to a request', () => {
  test('has the status and the id of its response', async () => {
    await using t = await setup();
    t.submit('a');
    await waitFor(() => t.answers['a'] !== undefined);
    expect(t.answers['a']).toMatchObject({
      result: 'answered',
      status: 0,
      body: { messageId: expect.stringMatching(/^id-/) },
    });
  });

  test('is its own response when responses come in another order', async () => {
    const waiting: Pdu[] = [];
    await using t = await setup({
      script: (pdu, { send }) => {
        waiting.push(pdu);
        if (waiting.length < 3) return;
        for (const { sequence } of waiting.toReversed())
          send({ command: 'submit_sm_resp', sequence, messageId: `for-${sequence}`, tlvs: [] });
      },
    });
    ['a', 'b', 'c'].forEach(t.submit);
    await waitFor(() => Object.keys(t.answers).length === 3);
    expect(['a', 'b', 'c'].map((text) => idOf(t.answers[text]))).toEqual(['for-1', 'for-2', 'for-3']);
  });

  test('is the first response when the server answers twice', async () => {
    await using t = await setup({
      script: ({ sequence }, { send }) => {
        send({ command: 'submit_sm_resp', sequence, messageId: 'first', tlvs: [] });
        send({ command: 'submit_sm_resp', sequence, messageId: 'second', tlvs: [] });
      },
    });
    t.submit('a');
    await waitFor(() => t.answers['a'] !== undefined);
    t.submit('b');
    await waitFor(() => t.answers['b'] !== undefined);
    expect(idOf(t.answers['a'])).toBe('first');
    expect(t.session.busy).toBe(0);
  });
});

describe('a request', () => {
  test('is refused by a generic_nack with its sequence number', async () => {
    await using t = await setup({
      script: ({ sequence }, { send }) => send({ command: 'generic_nack', sequence, status: 2 }),
    });
    t.submit('a');
    await waitFor(() => t.answers['a'] !== undefined);
    expect(t.answers['a']).toMatchObject({ result: 'answered', status: 2 });
    expect(t.session.room).toBe(10);
  });

  test.each([
    ['cuts', (socket: net.Socket) => socket.destroy()],
    ['closes its half of', (socket: net.Socket) => socket.end()],
  ])('is lost when the server %s the connection after the write', async (_, close) => {
    await using t = await setup({ script: (_pdu, { socket }) => void close(socket) });
    t.submit('a');
    await t.session.ended;
    expect(t.answers['a']).toMatchObject({ result: 'lost' });
  });

  test('is unsent when the session ends before the write', async () => {
    await using t = await setup({ script: silent });
    t.session.end('over');
    t.submit('a');
    expect(t.answers['a']).toMatchObject({ result: 'unsent' });
    expect(submits(t.smsc.received())).toEqual([]);
  });

  test('leaves nothing in flight when no PDU can carry it', async () => {
    await using t = await setup();
    expect(() =>
      t.session.send({ ...submitSm('a'), message: messageOf('a', 'Ω') }, { done: silent }),
    ).toThrow('Latin-1');
    expect(t.session.busy).toBe(0);
  });

  test('is lost after 60 s, and the session serves on while the server answers others', async () => {
    await using t = await setupExpired();
    expect(t.answers['never']).toMatchObject({ result: 'lost', reason: 'no answer within 60 s' });
    expect(t.session.room).toBe(10);
  });

  test('that has expired may be refused once, and the session serves on', async () => {
    await using t = await setupExpired();
    const { sequence } = submits(t.peer.received)[0]!;

    t.peer.send({ command: 'generic_nack', sequence, status: 8 });
    t.submit('d');
    await waitFor(() => t.answers['d'] !== undefined);

    expect(t.answers['d']).toMatchObject({ result: 'answered' });
    t.peer.send({ command: 'generic_nack', sequence, status: 8 });
    expect(await t.session.ended).toContain('generic_nack');
  });
});

describe('a stream that is not SMPP', () => {
  test('ends with all requests lost when a generic_nack names no known request', async () => {
    await using t = await setup({
      script: (_pdu, { send }) => send({ command: 'generic_nack', sequence: 0, status: 1 }),
    });
    t.submit('a');
    expect(await t.session.ended).toContain('generic_nack');
    expect(t.answers['a']).toMatchObject({ result: 'lost' });
  });

  test.each([
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'speaks HTTP'],
    ['\x15\x03\x01\x00\x02\x02\x46padding...', 'speaks TLS'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'speaks SSH'],
    ['\x00\x00\x00\x02 a length below 16', 'not SMPP'],
  ])('ends when the server sends %j', async (bytes, words) => {
    await using t = await setup({ script: (_pdu, { socket }) => socket.write(Buffer.from(bytes, 'latin1')) });
    t.submit('a');
    expect(await t.session.ended).toContain(words);
    expect(t.answers['a']).toMatchObject({ result: 'lost' });
  });
});

describe('a session over time', () => {
  test('keeps at most a window of requests in flight, and enquires beyond it', async () => {
    await using t = await setup({ window: 2, script: silent });
    ['a', 'b'].forEach(t.submit);
    expect(t.session.room).toBe(0);
    t.clock.advance(20_000);
    t.peer.send({ command: 'enquire_link', sequence: 3 });
    await waitFor(() => t.peer.received.length === 4);
    expect(commands(t.peer.received).slice(2).toSorted()).toEqual(['enquire_link', 'enquire_link_resp']);
  });

  test('sends enquire_link after 20 s of silence, and ends without an answer 30 s later', async () => {
    await using t = await setup({ script: silent });
    t.clock.advance(20_000);
    await waitFor(() => commands(t.peer.received).includes('enquire_link'));
    t.clock.advance(30_000);
    expect(await t.session.ended).toContain('silent for 50 s');
  });

  test('stays when its enquire_link is answered', async () => {
    await using t = await setup();
    for (let round = 1; round <= 4; round += 1) {
      t.clock.advance(20_000);
      await waitFor(() => t.peer.received.length === round);
      t.submit(`${round}`);
      await waitFor(() => t.answers[`${round}`] !== undefined);
      t.peer.received.pop();
    }
    expect(t.session.room).toBe(10);
  });

  test('ends when the server answers nothing for 60 s', async () => {
    await using t = await setup({
      script: (pdu, { answer }) => void (pdu.command === 'enquire_link' && answer(pdu)),
    });
    t.submit('a');
    await waitFor(() => submits(t.peer.received).length === 1);
    for (let second = 0; second < 60; second += 10) {
      t.peer.send({ command: 'enquire_link', sequence: second + 1 });
      await waitFor(
        () =>
          commands(t.peer.received).filter((command) => command === 'enquire_link_resp').length > second / 10,
      );
      t.clock.advance(10_000);
    }
    expect(await t.session.ended).toContain('answered nothing for 60 s');
    expect(t.answers['a']).toMatchObject({ result: 'lost' });
  });
});

describe('a session with its server', () => {
  test('answers enquire_link, and refuses what it does not speak and can be answered', async () => {
    await using t = await setup({ script: silent });
    for (const commandId of [0x0b, 0x102]) t.peer.socket.write(headerOf(commandId));
    t.peer.send({ command: 'enquire_link', sequence: 8 });
    t.peer.send({ command: 'query_sm', sequence: 9, messageId: '', sourceTon: 0, sourceNpi: 0, source: '' });
    await waitFor(() => t.peer.received.length === 2);
    expect(t.peer.received).toEqual([
      { command: 'enquire_link_resp', sequence: 8, status: 0 },
      { command: 'generic_nack', sequence: 9, status: 3 },
    ]);
  });

  test('waits for its responses, unbinds and closes', async () => {
    const answering = Promise.withResolvers<void>();
    await using t = await setup({
      script: (pdu, { answer }) =>
        void (pdu.command === 'submit_sm' ? answering.promise.then(() => answer(pdu)) : answer(pdu)),
    });
    t.submit('a');
    await waitFor(() => t.peer.received.length === 1);
    const closed = t.session.close('closed by the test');
    t.submit('b');
    expect(t.answers['b']).toMatchObject({ result: 'unsent' });
    answering.resolve();
    await closed;
    expect(t.answers['a']).toMatchObject({ result: 'answered' });
    expect(commands(t.peer.received)).toEqual(['submit_sm', 'unbind']);
    expect(t.clock.pending).toBeLessThanOrEqual(1);
  });

  test('closes within 5 s of a server that answers neither submits nor unbind', async () => {
    await using t = await setup({ script: silent });
    t.submit('a');
    await waitFor(() => t.peer.received.length === 1);
    const closed = t.session.close('closed by the test');
    t.clock.advance(4_000);
    await waitFor(() => t.peer.received.length === 2);
    t.clock.advance(1_000);
    await closed;
    expect(t.answers['a']).toMatchObject({ result: 'lost' });
  });

  test('answers the unbind of the server after the responses to its requests', async () => {
    await using t = await setup({
      script: (pdu, { send, answer }) => {
        if (pdu.command !== 'submit_sm') return;
        send({ command: 'unbind', sequence: 1 });
        answer(pdu);
      },
    });
    t.submit('a');
    expect(await t.session.ended).toContain('unbind');
    expect(t.answers['a']).toMatchObject({ result: 'answered' });
    await waitFor(() => commands(t.peer.received).includes('unbind_resp'));
  });
});

describe('a message from the server', () => {
  test('is acknowledged after the handler has stored it', async () => {
    const stored = Promise.withResolvers<void>();
    await using t = await setup({ script: silent, receive: () => stored.promise });
    t.peer.send({ command: 'deliver_sm', sequence: 5, message: messageOf('hello') });
    t.peer.send({ command: 'enquire_link', sequence: 6 });
    await waitFor(() => t.peer.received.length === 1);
    expect(commands(t.peer.received)).toEqual(['enquire_link_resp']);
    stored.resolve();
    await waitFor(() => t.peer.received.length === 2);
    expect(t.peer.received[1]).toMatchObject({ command: 'deliver_sm_resp', sequence: 5, status: 0 });
  });

  test('is refused for now when the handler fails', async () => {
    await using t = await setup({ script: silent, receive: () => Promise.reject(new Error('no database')) });
    t.peer.send({ command: 'data_sm', sequence: 5, message: messageOf('') });
    await waitFor(() => t.peer.received.length === 1);
    expect(t.peer.received[0]).toMatchObject({ command: 'data_sm_resp', sequence: 5, status: 0x64 });
  });

  test('is refused permanently when its text passes its end', async () => {
    await using t = await setup({ script: silent });
    const broken = Buffer.from(
      '0000002600000005000000000000000700000000000000000000000000000000ff6869',
      'hex',
    );
    broken.writeUInt32BE(broken.length, 0);
    t.peer.socket.write(broken);
    await waitFor(() => t.peer.received.length === 1);
    expect(t.peer.received[0]).toMatchObject({ command: 'deliver_sm_resp', sequence: 7, status: 1 });
  });

  test('waits on the network while many are being handled', async () => {
    const gates: (() => void)[] = [];
    const receive = () => new Promise<void>((resolve) => gates.push(resolve));
    await using t = await setup({ script: silent, receive });
    for (let sequence = 1; sequence <= 3; sequence += 1)
      t.peer.send({ command: 'deliver_sm', sequence, message: messageOf('hello') });
    await waitFor(() => gates.length === 3);
    t.peer.send({ command: 'enquire_link', sequence: 9 });
    gates[0]!();
    await waitFor(() => t.peer.received.length === 2);
    expect(t.peer.received.map(({ sequence }) => sequence)).toEqual([1, 9]);
  });
});

function headerOf(commandId: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(header.length, 0);
  header.writeUInt32BE(commandId, 4);
  return header;
}

function isText(pdu: Pdu, text: string): boolean {
  return pdu.command === 'submit_sm' && pdu.message.shortMessage.toString() === text;
}

function idOf(answer: Answer | undefined): string | undefined {
  return answer?.result === 'answered' ? answer.body.messageId : undefined;
}

/** A session whose server has not answered the first request within 60 s, but others. */
async function setupExpired(): Promise<Setup> {
  const t = await setup({ script: (pdu, { answer }) => void (isText(pdu, 'never') || answer(pdu)) });
  t.submit('never');
  await waitFor(() => submits(t.peer.received).length === 1);
  t.clock.advance(15_000);
  for (const text of ['a', 'b', 'c']) {
    t.submit(text);
    await waitFor(() => t.answers[text] !== undefined);
    t.clock.advance(text === 'c' ? 8_000 : 19_000);
  }
  return t;
}
