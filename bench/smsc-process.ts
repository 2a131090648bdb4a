import net, { type AddressInfo } from 'node:net';
import { answerCommands } from './side-process.ts';

const RESPONSE = 0x80000000;
const SUBMIT = 4;
const DELIVER = 5;
/** Octets of a submit_sm before the sender: header, empty service_type, TON and NPI. */
const SENDER_AT = 16 + 1 + 2;
/** Octets of a deliver_sm between its addresses and its text, which is a receipt by its esm_class. */
const RECEIPT = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0]);

let taken = 0;
let acknowledged = 0;
let isReporting = false;
let connections = 0;

/**
 * An SMSC that does as little as possible: it takes everything, with an id for each message, and reports each as
 * delivered when asked to.
 */
const server = net.createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  connections += 1;
  socket.on('error', () => undefined);
  socket.on('close', () => (connections -= 1));
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const answers: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= 16 && bytes.length - at >= bytes.readUInt32BE(at)) {
      answers.push(...answersTo(bytes, at));
      at += bytes.readUInt32BE(at);
    }
    rest = bytes.subarray(at);
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});

function answersTo(bytes: Buffer, at: number): Buffer[] {
  const command = bytes.readUInt32BE(at + 4);
  if (command === DELIVER + RESPONSE) acknowledged += 1;
  if (command >= RESPONSE) return [];
  if (command !== SUBMIT) return [answerTo(bytes, at, command, '')];
  taken += 1;
  const id = `${process.pid}-${taken}`;
  const answer = answerTo(bytes, at, command, id);
  return isReporting ? [answer, receiptOf(bytes, at, id)] : [answer];
}

function answerTo(bytes: Buffer, at: number, command: number, id: string): Buffer {
  const answer = Buffer.alloc(16 + id.length + 1);
  answer.writeUInt32BE(answer.length, 0);
  answer.writeUInt32BE(command + RESPONSE, 4);
  answer.writeUInt32BE(bytes.readUInt32BE(at + 12), 12);
  answer.write(id, 16, 'latin1');
  return answer;
}

/** Builds the deliver_sm with the receipt of a message. */
function receiptOf(bytes: Buffer, at: number, id: string): Buffer {
  const senderEnd = bytes.indexOf(0, at + SENDER_AT);
  const recipientEnd = bytes.indexOf(0, senderEnd + 3);
  const sender = bytes.subarray(at + SENDER_AT, senderEnd + 1);
  const recipient = bytes.subarray(senderEnd + 3, recipientEnd + 1);
  const text = Buffer.from(
    `id:${id} sub:001 dlvrd:001 submit date:2611220100 done date:2611220101 stat:DELIVRD err:000 text:`,
  );
  const header = Buffer.alloc(16);
  const international = Buffer.from([1, 1]);
  const body = [Buffer.from([0]), international, recipient, international, sender, RECEIPT];
  const pdu = Buffer.concat([header, ...body, Buffer.from([text.length]), text]);
  pdu.writeUInt32BE(pdu.length, 0);
  pdu.writeUInt32BE(DELIVER, 4);
  pdu.writeUInt32BE(taken, 12);
  return pdu;
}

server.listen(0, '127.0.0.1', () => {
  answerCommands({
    port: () => (server.address() as AddressInfo).port,
    taken: () => taken,
    acknowledged: () => acknowledged,
    connections: () => connections,
    report: () => {
      isReporting = true;
    },
  });
});
