import net, { type AddressInfo } from 'node:net';
import { answerCommands } from './side-process.ts';

const RESPONSE = 0x80000000;
const SUBMIT = 4;

let taken = 0;

/** An SMSC that does as little as possible: it takes everything, with an id for each message. */
const server = net.createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const answers: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= 16 && bytes.length - at >= bytes.readUInt32BE(at)) {
      answers.push(answerTo(bytes, at));
      at += bytes.readUInt32BE(at);
    }
    rest = bytes.subarray(at);
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});

function answerTo(bytes: Buffer, at: number): Buffer {
  const command = bytes.readUInt32BE(at + 4);
  if (command === SUBMIT) taken += 1;
  const id = command === SUBMIT ? `${process.pid}-${taken}` : '';
  const answer = Buffer.alloc(16 + id.length + 1);
  answer.writeUInt32BE(answer.length, 0);
  answer.writeUInt32BE(command + RESPONSE, 4);
  answer.writeUInt32BE(bytes.readUInt32BE(at + 12), 12);
  answer.write(id, 16, 'latin1');
  return answer;
}

server.listen(0, '127.0.0.1', () => {
  answerCommands({ port: () => (server.address() as AddressInfo).port, taken: () => taken });
});
