import { TAG, type Pdu, type ShortMessage, emptyMessage } from '../src/smpp/pdu.ts';
import type { OutgoingSms } from '../src/sms-gateway.ts';
import { WAIT } from './gateway.conformance.ts';
import { ManualClock } from './manual-clock.ts';
import { type OpenSmpp, type OpenSmppOptions, openBound, smsOf } from './smpp-gateway.ts';
import { type Smsc, type SmscConnection, type SmscOptions, startSmsc } from './smsc.ts';

type Submit = Pdu & { command: 'submit_sm' };

/** A gateway that is bound to a scripted SMSC. */
export interface ScriptedSmpp extends OpenSmpp {
  smsc: Smsc;
  peer: SmscConnection;
  clock: ManualClock;
  submits: () => Submit[];
  submit: (fields?: Partial<OutgoingSms>, deadlineMs?: number) => ReturnType<OpenSmpp['gateway']['submit']>;
}

/** Binds a gateway to a scripted SMSC, on a clock that stands still. */
export async function scriptedSmpp(
  script?: (pdu: Submit, connection: SmscConnection, count: number) => void,
  options: Omit<OpenSmppOptions, 'port'> & Pick<SmscOptions, 'credentials'> = {},
): Promise<ScriptedSmpp> {
  let count = 0;
  const smsc = await startSmsc({
    ...options,
    script: (pdu, connection) => {
      if (pdu.command !== 'submit_sm' || !script) return connection.answer(pdu);
      count += 1;
      script(pdu as Submit, connection, count);
    },
  });
  const clock = new ManualClock();
  const open = await openBound({ port: smsc.port, clock, ...options });
  return {
    ...open,
    smsc,
    clock,
    peer: smsc.connections.at(-1)!,
    submits: () => smsc.received().filter((pdu): pdu is Submit => pdu.command === 'submit_sm'),
    submit: (fields = {}, deadlineMs = 30_000) =>
      open.gateway.submit([smsOf({ messageId: 'id:1', ...fields })], { ...WAIT, deadlineMs }),
    async [Symbol.asyncDispose]() {
      await smsc[Symbol.asyncDispose]();
      const passing = setInterval(() => clock.advance(1_000), 1);
      await open.gateway.close();
      clearInterval(passing);
    },
  };
}

/** Answers a submit. */
export const respond = ({ send }: SmscConnection, { sequence }: Pdu, status: number, messageId = ''): void =>
  send({ command: 'submit_sm_resp', sequence, status, messageId, tlvs: [] });

/** Takes three segments. */
export const LONG = { text: 'x'.repeat(400), segments: 3 };

/** A receipt that says that a message was delivered. */
export function receipt(id: string): ShortMessage {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611220100 done date:2611220101 stat:DELIVRD err:000 text:`;
  return {
    ...emptyMessage(),
    esmClass: 4,
    source: '919800000001',
    destination: 'SIGNAL',
    shortMessage: Buffer.from(text.slice(0, 250)),
    tlvs: [
      { tag: TAG.receiptedMessageId, value: Buffer.from(`${id}\0`, 'latin1') },
      { tag: TAG.messageState, value: Buffer.of(2) },
    ],
  };
}
