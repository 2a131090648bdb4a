import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { Framing } from '../src/smpp/framing.ts';
import type { Pdu, PduBody } from '../src/smpp/pdu.ts';
import { readPdu } from '../src/smpp/pdu-reader.ts';
import { writePdu } from '../src/smpp/pdu-writer.ts';

/** One connection to a scripted SMSC. */
export interface SmscConnection {
  socket: net.Socket;
  received: Pdu[];
  send: (pdu: PduBody & { sequence: number; status?: number }) => void;
  /** Answers as a well-behaved SMSC does; the ids of messages count up. */
  answer: (pdu: Pdu) => void;
}

/** An SMSC on loopback that behaves as a test says. */
export interface Smsc extends AsyncDisposable {
  port: number;
  connections: SmscConnection[];
  /** All PDUs, of every connection. */
  received: () => Pdu[];
  /** Texts of the messages that it took, one for each time. */
  taken: () => string[];
  /** Closes every connection. */
  cut: () => void;
}

export interface SmscOptions {
  /** Replaces the answers of a well-behaved SMSC. */
  script?: (pdu: Pdu, connection: SmscConnection) => void;
  /** Speaks TLS. */
  credentials?: { key: string; cert: string };
  port?: number;
}

let lastId = 0;

/** Starts an SMSC that binds anybody, takes every message and answers in order, unless `script` says otherwise. */
export async function startSmsc({
  script = (pdu, connection) => connection.answer(pdu),
  credentials,
  port = 0,
}: SmscOptions = {}): Promise<Smsc> {
  const connections: SmscConnection[] = [];
  const accept = (socket: net.Socket): void => {
    const connection = connect(socket);
    connections.push(connection);
    const framing = new Framing();
    socket.on('error', () => undefined);
    socket.on('data', (chunk) =>
      framing.push(chunk, (bytes, start, end) => {
        const pdu = readPdu(Buffer.from(bytes.subarray(start, end)));
        connection.received.push(pdu);
        script(pdu, connection);
      }),
    );
  };
  const server = credentials ? tls.createServer(credentials, accept) : net.createServer(accept);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const received = () => connections.flatMap((connection) => connection.received);
  const cut = () => connections.forEach(({ socket }) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    received,
    taken: () => received().flatMap(textOf),
    cut,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}

function connect(socket: net.Socket): SmscConnection {
  const connection: SmscConnection = {
    socket,
    received: [],
    send: (pdu) => void socket.write(writePdu({ status: 0, ...pdu })),
    answer: (pdu) => answer(connection, pdu),
  };
  return connection;
}

function answer({ send, socket }: SmscConnection, pdu: Pdu): void {
  const { command, sequence } = pdu;
  if (command === 'bind_transceiver' || command === 'bind_transmitter' || command === 'bind_receiver')
    send({ command: `${command}_resp`, sequence, systemId: 'smsc', tlvs: [] });
  if (command === 'submit_sm') send({ command: 'submit_sm_resp', sequence, messageId: nextId(), tlvs: [] });
  if (command === 'enquire_link') send({ command: 'enquire_link_resp', sequence });
  if (command !== 'unbind') return;
  send({ command: 'unbind_resp', sequence });
  socket.end();
}

function nextId(): string {
  lastId += 1;
  return `id-${lastId}`;
}

function textOf(pdu: Pdu): string[] {
  return pdu.command === 'submit_sm' ? [pdu.message.shortMessage.toString('latin1')] : [];
}
