import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Pdu, type ShortMessage, emptyMessage } from '../../libs/gateways/src/smpp/pdu.ts';
import { type Smsc, type SmscConnection, startSmsc } from '../../libs/gateways/test/smsc.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import type { Load } from '../support/load.ts';
import { A_QUEUE } from '../support/queue.ts';
import { RECOVERY_MS, type Service, type Tenant, startService } from '../support/service.ts';

test('no message is lost or sent twice by kills, after a restart or by another worker', async () => {
  await using smsc = await startSmsc({ script: deliveringSmsc() });
  await using service = await startService({ queue: A_QUEUE.name });
  await connect(service, smsc.port);
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad({ callsPerSecond: 10 });
  const worker = service.stack.process('sms-worker');

  await load.more(100);
  const inFlight = new Set(await kill(service));
  await worker.start();
  await untilBindSends(smsc, 2);

  await service.startTwin('sms-worker');
  await load.more(100);
  expect(countBinds(smsc)).toBe(2);
  for (const id of await kill(service)) inFlight.add(id);
  await untilBindSends(smsc, 3);
  await load.stop();

  await expectEachOnce({ smsc, service, tenant, load, inFlight });
});

/** Kills the sms-worker permanently. @returns the messages without an outcome when it was dead */
async function kill(service: Service): Promise<string[]> {
  await service.stack.process('sms-worker').crash();
  return await service.listMessages(`status = 'PENDING'`);
}

/** Waits until the SMSC got 100 messages over a further bind. */
async function untilBindSends(smsc: Smsc, binds: number): Promise<void> {
  await waitFor(() => countBinds(smsc) === binds, { otherwise: 'nobody took the bind' });
  const countSent = (): number => smsc.connections.at(-1)!.received.filter(isSubmit).length;
  await waitFor(() => countSent() >= 100, { otherwise: 'the worker does not go on' });
}

interface Run {
  smsc: Smsc;
  service: Service;
  tenant: Tenant;
  load: Load;
  /** Messages without an outcome when a worker was dead. */
  inFlight: ReadonlySet<string>;
}

/** Waits until every message is pushed or unconfirmed, and checks that the SMSC got none twice. */
async function expectEachOnce({ smsc, service, tenant, load, inFlight }: Run): Promise<void> {
  const pushedOrUnconfirmed = async (): Promise<boolean> => {
    const open = new Set(await service.listMessages('unconfirmed_at IS NOT NULL'));
    return [...load.accepted.keys()].every((id) => tenant.receivedAt.has(id) || open.has(id));
  };
  await waitFor(pushedOrUnconfirmed, { timeoutMs: RECOVERY_MS, otherwise: 'messages were lost' });
  expect(smsc.taken().length).toBeLessThanOrEqual(load.accepted.size);
  const unconfirmed = await service.listMessages('unconfirmed_at IS NOT NULL');
  expect(unconfirmed.filter((id) => !inFlight.has(id))).toEqual([]);
}

function isSubmit({ command }: Pdu): boolean {
  return command === 'submit_sm';
}

function countBinds(smsc: Smsc): number {
  return smsc.received().filter(({ command }) => command === 'bind_transceiver').length;
}

/**
 * Takes messages, and reports each as delivered. As SMSCs do, it repeats a report that was not acknowledged once the
 * client binds again.
 */
function deliveringSmsc(): (pdu: Pdu, peer: SmscConnection) => void {
  const open = new Map<number, ShortMessage>();
  let sequence = 0;
  const report = (peer: SmscConnection, message: ShortMessage): void => {
    sequence += 1;
    open.set(sequence, message);
    peer.send({ command: 'deliver_sm', sequence, message });
  };
  return (pdu, peer) => {
    if (pdu.command === 'deliver_sm_resp' && pdu.status === 0) open.delete(pdu.sequence);
    if (pdu.command !== 'submit_sm') peer.answer(pdu);
    if (pdu.command === 'bind_transceiver') {
      const repeated = [...open.values()];
      open.clear();
      for (const message of repeated) report(peer, message);
    }
    if (pdu.command !== 'submit_sm') return;
    const messageId = randomUUID();
    peer.send({ command: 'submit_sm_resp', sequence: pdu.sequence, messageId, tlvs: [] });
    report(peer, receiptOf(messageId, pdu.message));
  };
}

function receiptOf(messageId: string, { source, destination }: ShortMessage): ShortMessage {
  const text = `id:${messageId} sub:001 dlvrd:001 done date:2611220101 stat:DELIVRD err:000 text:`;
  return {
    ...emptyMessage(),
    esmClass: 4,
    source: destination,
    destination: source,
    shortMessage: Buffer.from(text),
  };
}

/** Makes the SMSC the gateway of all SMS, and waits for its bind. */
async function connect(service: Service, port: number): Promise<void> {
  const settings = JSON.stringify({ host: '127.0.0.1', port, systemId: 'test' });
  await service.query(
    `INSERT INTO gateway (id, name, channel, kind, settings, enabled, paused)
     VALUES ('${randomUUID()}', 'smsc', 'sms', 'smpp', '${settings}', true, false)`,
  );
  const states = () =>
    service.query<{ status: string }>(`SELECT status FROM gateway_state WHERE status = 'up'`);
  await waitFor(async () => (await states()).length > 0, { otherwise: 'the gateway did not bind' });
}
