import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import smpp, { type SmppPdu, type SmppPeerSession } from 'smpp';

/** An SMSC of the npm package `smpp`. It takes every message, and reports those that ask for it as delivered. */
export interface NpmSmsc extends AsyncDisposable {
  port: number;
  submitted: SmppPdu[];
}

/** Starts it on loopback, with TLS when credentials are given. */
export async function startNpmSmsc(credentials?: { key: string; cert: string }): Promise<NpmSmsc> {
  const submitted: SmppPdu[] = [];
  const sessions = new Set<SmppPeerSession>();
  const server = smpp.createServer({ ...credentials, tls: credentials !== undefined }, (session) => {
    sessions.add(session);
    session.on('error', () => session.destroy());
    for (const command of ['bind_transceiver', 'bind_transmitter', 'bind_receiver', 'enquire_link'])
      session.on(command, (pdu) => session.send(pdu.response()));
    session.on('unbind', (pdu) => {
      session.send(pdu.response());
      session.close();
    });
    session.on('submit_sm', (pdu) => {
      submitted.push(pdu);
      const id = `npm-${submitted.length}`;
      session.send(pdu.response({ message_id: id }));
      if (pdu['registered_delivery'] === 1) session.deliver_sm(receiptOf(pdu, id));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    submitted,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

function receiptOf(pdu: SmppPdu, id: string): Record<string, unknown> {
  return {
    source_addr: pdu['destination_addr'],
    destination_addr: pdu['source_addr'],
    esm_class: 4,
    short_message: `id:${id} sub:001 dlvrd:001 submit date:2611220100 done date:2611220101 stat:DELIVRD err:000 text:`,
  };
}
