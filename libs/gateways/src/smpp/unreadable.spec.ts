import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { openBound } from '../../test/smpp-gateway.ts';
import { startSmsc } from '../../test/smsc.ts';
import { COMMANDS, TAG, emptyMessage } from './pdu.ts';
import { writePdu } from './pdu-writer.ts';

/** A bound gateway, to which `deliver` sends the octets of messages and returns the statuses of their answers. */
async function setup() {
  const smsc = await startSmsc();
  const t = await openBound({ port: smsc.port });
  const answers = () =>
    smsc.received().flatMap((pdu) => (/^(deliver|data)_sm_resp$/.test(pdu.command) ? [pdu] : []));
  const deliver = async (pdus: Buffer[]): Promise<number[]> => {
    const before = answers().length;
    for (const pdu of pdus) smsc.connections[0]!.socket.write(pdu);
    await waitFor(() => answers().length === before + pdus.length);
    return answers()
      .slice(before)
      .map(({ status }) => status);
  };
  return {
    ...t,
    smsc,
    deliver,
    unreadable: () =>
      t.host.logs.flatMap(({ event, fields }) => (event === 'smpp.unreadable' ? [fields] : [])),
    async [Symbol.asyncDispose]() {
      await t.gateway.close();
      await smsc[Symbol.asyncDispose]();
    },
  };
}

const MESSAGE = {
  ...emptyMessage(),
  source: '919800000001',
  destination: 'ACME',
  shortMessage: Buffer.from('Hello'),
};

/** The first octets of a PDU, as a whole PDU of that length. */
function cut(pdu: Buffer, length: number): Buffer {
  const copy = Buffer.from(pdu.subarray(0, length));
  copy.writeUInt32BE(length, 0);
  return copy;
}

test('a deliver_sm that is cut at any octet is refused, is logged once, and costs no session', async () => {
  await using t = await setup();
  const whole = writePdu({ command: 'deliver_sm', sequence: 1, status: 0, message: MESSAGE });
  const lengths = Array.from({ length: whole.length - 16 }, (_, i) => 16 + i);

  const statuses = await t.deliver(lengths.map((length) => cut(whole, length)));
  expect(new Set(statuses)).toEqual(new Set([0x01]));
  expect(t.unreadable()).toEqual([
    { gateway: 'smsc', problem: 'deliver_sm: the PDU ends within its fields, after 16 octets' },
  ]);

  expect(await t.deliver([whole])).toEqual([0]);
  expect(t.inbound).toMatchObject([{ from: '919800000001', content: { text: { body: 'Hello' } } }]);
  expect(t.smsc.connections).toHaveLength(1);
});

test.each([
  ['deliver_sm', { ...MESSAGE, shortMessage: Buffer.alloc(0) }],
  ['data_sm', { ...MESSAGE, shortMessage: Buffer.alloc(0) }],
] as const)(
  'a %s whose text in a TLV is cut is refused, and one with a broken foreign TLV is not',
  async (command, message) => {
    await using t = await setup();
    const withTlv = (tag: number) => {
      const tlvs = [{ tag, value: Buffer.from('Hello') }];
      const whole = writePdu({ command, sequence: 1, status: 0, message: { ...message, tlvs } });
      return cut(whole, whole.length - 2);
    };

    expect(await t.deliver([withTlv(TAG.messagePayload), withTlv(0x1400)])).toEqual([0x01, 0]);
    expect(t.unreadable()).toEqual([
      {
        gateway: 'smsc',
        problem: `${command}: the TLV 0x0424 has 5 octets, and the PDU ends after 3 of them`,
      },
    ]);
  },
);

test('any octets in the place of a message are answered once each, and cost no session', async () => {
  await using t = await setup();
  const ids = fc.constantFrom(COMMANDS.deliver_sm, COMMANDS.data_sm);
  const pdu = fc.tuple(ids, fc.uint8Array({ maxLength: 200 })).map(([id, body]) => {
    const head = Buffer.alloc(16);
    [16 + body.length, id, 0, 7].forEach((value, i) => head.writeUInt32BE(value, 4 * i));
    return Buffer.concat([head, body]);
  });

  await t.deliver(fc.sample(pdu, 500));
  expect(t.gateway.state().status).toBe('up');
  expect(t.smsc.connections).toHaveLength(1);
});
