import { SMS_LANES } from '@signalbox/domain/lane';
import type { Bind } from './bind.ts';
import type { Answer } from './in-flight.ts';
import type { PduBody } from './pdu.ts';

/** Kinds of requests in the order in which they are sent. A question asks about a message that was sent before. */
const LANES = [...SMS_LANES, 'QUESTION'] as const;
type QueueLane = (typeof LANES)[number];

/** An answer, or the reason why no PDU can carry the request. */
export type LinkAnswer = Answer | { result: 'unwritable'; reason: string };

/** A request that waits for room on a bind. */
export interface QueuedRequest {
  readonly lane: QueueLane;
  /** Is read when the request is sent. @throws UnwritableError */
  readonly body: PduBody;
  /** It is a further segment of a message that has begun. */
  readonly isContinued: boolean;
  /** Segments that the server sends for it. */
  readonly segments: number;
  done(answer: LinkAnswer): void;
  /** The bind that it was sent on; undefined while it is queued. */
  via: Bind | undefined;
  /** Nobody waits for it any more: it is dropped instead of sent. */
  isCancelled: boolean;
}

/**
 * Requests in the order in which they are sent: codes first, promotions and then questions last, and within a lane the rest of a message
 * before the next one, so that no message is left half sent where the pace allows only some of them.
 */
export class SubmitQueue {
  private readonly continued = new Map(LANES.map((lane) => [lane, new Fifo()]));
  private readonly begun = new Map(LANES.map((lane) => [lane, new Fifo()]));
  private readonly fifos = LANES.flatMap((lane) => [this.continued.get(lane)!, this.begun.get(lane)!]);

  get size(): number {
    return this.fifos.reduce((sum, { size }) => sum + size, 0);
  }

  push(request: QueuedRequest): void {
    this.fifoOf(request).push(request);
  }

  /** Returns the next request without removing it; drops those that nobody waits for. */
  peek(): QueuedRequest | undefined {
    for (const fifo of this.fifos) {
      for (let first = fifo.peek(); first; first = fifo.peek()) {
        if (!first.isCancelled) return first;
        fifo.shift();
      }
    }
    return undefined;
  }

  /** Removes what `peek` returned. */
  shift(request: QueuedRequest): void {
    this.fifoOf(request).shift();
  }

  /** Removes all requests and returns those that somebody waits for. */
  drain(): QueuedRequest[] {
    return this.fifos.flatMap((fifo) => fifo.drain());
  }

  /** Removes the requests that begin a message likewise. */
  drainFirst(): QueuedRequest[] {
    return [...this.begun.values()].flatMap((fifo) => fifo.drain());
  }

  private fifoOf({ lane, isContinued }: QueuedRequest): Fifo {
    return (isContinued ? this.continued : this.begun).get(lane)!;
  }
}

/** A queue whose shift costs the same whatever its length. */
class Fifo {
  private requests: QueuedRequest[] = [];
  private first = 0;

  get size(): number {
    return this.requests.length - this.first;
  }

  push(request: QueuedRequest): void {
    this.requests.push(request);
  }

  peek(): QueuedRequest | undefined {
    return this.requests[this.first];
  }

  drain(): QueuedRequest[] {
    const drained = this.requests.slice(this.first).filter(({ isCancelled }) => !isCancelled);
    this.requests = [];
    this.first = 0;
    return drained;
  }

  shift(): void {
    this.first += 1;
    if (this.first < 1_000 && this.first < this.requests.length) return;
    this.requests = this.requests.slice(this.first);
    this.first = 0;
  }
}
