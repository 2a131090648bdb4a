/** The parts of the npm package `smpp` that tests use as a peer. */
declare module 'smpp' {
  import type { Server } from 'node:net';

  export interface SmppPdu {
    command: string;
    sequence_number: number;
    response(fields?: Record<string, unknown>): SmppPdu;
    [field: string]: unknown;
  }

  export interface SmppPeerSession {
    on(event: string, listener: (pdu: SmppPdu) => void): this;
    send(pdu: SmppPdu, callback?: (response: SmppPdu) => void): boolean;
    deliver_sm(fields: Record<string, unknown>, callback?: (response: SmppPdu) => void): boolean;
    close(): void;
    destroy(): void;
  }

  const smpp: {
    createServer(
      options: { key?: string; cert?: string; tls?: boolean },
      listener: (session: SmppPeerSession) => void,
    ): Server & { sessions: SmppPeerSession[] };
    RECEIPT: number;
  };
  export default smpp;
}
