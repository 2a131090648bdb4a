import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';
import { Framing, FramingError } from './framing.ts';
import type { Pdu } from './pdu.ts';
import { readPdu } from './pdu-reader.ts';
import { PduBuffer } from './pdu-writer.ts';
import { describeStranger } from './strangers.ts';

/** Octets that may wait for a server that does not read. */
const MAX_UNREAD = 4_000_000;

/** Receives what happens on a wire. */
export interface WireEvents {
  onPdu: (pdu: Pdu) => void;
  /** Follows the PDUs of one chunk. */
  onChunk: () => void;
  /** The wire has ended for a reason. Called once, except after `end`. */
  onEnd: (reason: string) => void;
  /** All PDUs that were queued are being handed to the network. */
  onWrite: () => void;
}

/** PDUs over an open connection. PDUs that are written in one tick go to the network together. */
export class Wire {
  lastReceivedAt: number;
  lastSentAt: number;
  private readonly framing = new Framing();
  private readonly out = new PduBuffer();
  private isOpen = true;

  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    private readonly events: WireEvents,
  ) {
    this.lastReceivedAt = clock.now();
    this.lastSentAt = this.lastReceivedAt;
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('error', (error) => this.fail(`the connection broke (${error.message})`));
    socket.on('end', () => this.fail('the server closed the connection'));
    socket.on('close', () => this.fail('the connection was closed'));
  }

  /** Queues a PDU. @throws UnwritableError */
  write(pdu: Pdu): void {
    const isFirst = this.out.isEmpty;
    this.out.append(pdu);
    if (isFirst) process.nextTick(() => this.flush());
  }

  /** Stops to read, so that the server has to wait. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    if (this.isOpen) this.socket.resume();
  }

  /** Hands over what is queued and closes the connection. */
  end(): void {
    if (!this.isOpen) return;
    this.flush();
    this.isOpen = false;
    this.socket.destroySoon();
    // a peer that does not read never lets the last octets go
    const cancel = this.clock.after(1_000, () => this.socket.destroy());
    this.socket.once('close', cancel);
  }

  /** Closes the connection; what is queued is not handed over. */
  destroy(): void {
    this.isOpen = false;
    this.socket.destroy();
  }

  private fail(reason: string): void {
    if (!this.isOpen) return;
    this.destroy();
    this.events.onEnd(reason);
  }

  private flush(): void {
    const bytes = this.out.take();
    if (!this.isOpen || bytes.length === 0) return;
    this.events.onWrite();
    this.lastSentAt = this.clock.now();
    this.socket.write(bytes);
    if (this.socket.writableLength > MAX_UNREAD) this.fail('the server does not read what it is sent');
  }

  private read(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.lastReceivedAt = this.clock.now();
    try {
      this.framing.push(chunk, (bytes, start, end) => {
        if (this.isOpen) this.events.onPdu(readPdu(bytes, start, end));
      });
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      return this.fail(describeStranger(error));
    }
    if (this.isOpen) this.events.onChunk();
  }
}
