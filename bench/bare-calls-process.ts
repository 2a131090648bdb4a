import { Agent, request } from 'undici';
import { answerCommands } from './side-process.ts';

/** Makes webhook calls with undici alone. */
export interface BareCalls {
  url: string;
  count: number;
  inFlight: number;
}

/** A body of the size of a report, with headers like those of a signed call. */
const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': '0192aaaa-bbbb-7ccc-8ddd-eeeeffff0000_0192aaaa-bbbb-7ccc-8ddd-eeeeffff0001',
  'webhook-timestamp': '1795000000',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
};
const BODY = JSON.stringify({
  messageId: '0192aaaa-bbbb-7ccc-8ddd-eeeeffff0000:1',
  mobileNumber: '919800001234',
  senderName: 'SIGNALBX',
  errCode: '000',
  status: 'Delivered',
  createdAt: '1795000000000',
  deliveredDate: 'Fri Nov 20 2026 23:10:05 GMT+0000 (Coordinated Universal Time)',
  statusDescription: 'Message delivered',
});

answerCommands({ run });

async function run({ url, count, inFlight }: BareCalls): Promise<void> {
  const dispatcher = new Agent({ connections: inFlight });
  let left = count;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { body } = await request(url, { dispatcher, method: 'POST', headers: HEADERS, body: BODY });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  await dispatcher.close();
}
