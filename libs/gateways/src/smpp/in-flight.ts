import type { Tlv } from './pdu.ts';

/** The largest sequence number of a request (SMPP 3.4, section 3.2). */
const MAX_SEQUENCE = 0x7fffffff;

/** The end of one request. */
export type Answer =
  | { result: 'answered'; status: number; body: AnswerBody }
  /** Not one octet of it reached the network. */
  | { result: 'unsent'; reason: string }
  /** Written, and possibly taken. With `sentAt` its time for an answer has ended. */
  | { result: 'lost'; reason: string; sentAt?: number };

/** The fields of a response; empty where the response has none. */
export interface AnswerBody {
  messageId: string;
  tlvs: readonly Tlv[];
  /** `message_state` of a query; 0 otherwise. */
  state: number;
  /** `error_code` of a query; 0 otherwise. */
  errorCode: number;
  /** `final_date` of a query; empty otherwise. */
  finalDate: string;
}

/** Receives the end of its request, once. */
export interface Requester {
  done(answer: Answer): void;
}

/** A request that waits for its response. */
interface Request {
  sequence: number;
  requester: Requester;
  /** Takes a place of the window. */
  counts: boolean;
  /** Counts the requests of the session. */
  order: number;
  at: number;
}

/** More than the largest window; a power of two. */
const SLOTS = 2_048;
/** Expired requests that are remembered; older ones are forgotten. */
const MAX_EXPIRED = 10_000;

/**
 * The requests of a session that have no response, by sequence number. They are kept in a circular array: the tables
 * that a Map leaves behind as its entries come and go refer to each other, and keep whole batches alive until a full
 * collection.
 */
export class InFlight {
  private readonly slots: (Request | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  private counted = 0;
  private added = 0;
  /** The latest request that the network may have. */
  private written = 0;
  /** Sequence numbers of the latest requests that expired and had no answer since. */
  private readonly expired = new Set<number>();

  /** @param last the sequence number before the first one */
  constructor(private last = 0) {}

  /** Requests that take a place of the window. */
  get size(): number {
    return this.counted;
  }

  /** The instant of the oldest request; undefined without one. */
  get oldestAt(): number | undefined {
    return this.oldestFirst()[0]?.at;
  }

  /** Adds a request. @returns its sequence number, which no other request in flight has */
  add(at: number, counts: boolean, requester: Requester): number {
    do this.last = this.last >= MAX_SEQUENCE ? 1 : this.last + 1;
    while (this.slots[this.last % SLOTS] !== undefined);
    this.added += 1;
    this.slots[this.last % SLOTS] = { sequence: this.last, requester, counts, order: this.added, at };
    if (counts) this.counted += 1;
    return this.last;
  }

  /** Removes a request that was never sent. */
  forget(sequence: number): void {
    this.take(sequence);
  }

  /** Records that all requests so far are handed to the network. */
  markWritten(): void {
    this.written = this.added;
  }

  /** Ends a request. @returns false for a sequence number that is not in flight: an answer that came twice or late */
  settle(sequence: number, answer: Answer): boolean {
    const request = this.take(sequence);
    request?.requester.done(answer);
    return request !== undefined;
  }

  /** Ends the requests of before an instant as lost. @returns the number of those that the window counted */
  expire(before: number, reason: string): number {
    const counted = this.counted;
    for (const { sequence, at } of this.oldestFirst()) {
      if (at > before) continue;
      this.settle(sequence, { result: 'lost', reason, sentAt: at });
      this.noteExpired(sequence);
    }
    return counted - this.counted;
  }

  /** Is true, once, for a request that has expired: an answer to it is late. */
  takeExpired(sequence: number): boolean {
    return this.expired.delete(sequence);
  }

  /** Ends all requests: what was written as lost, the rest as unsent. */
  clear(reason: string): void {
    for (const { sequence, order } of this.oldestFirst())
      this.settle(sequence, { result: order <= this.written ? 'lost' : 'unsent', reason });
  }

  private oldestFirst(): Request[] {
    return this.slots.flatMap((request) => request ?? []).toSorted((a, b) => a.order - b.order);
  }

  private noteExpired(sequence: number): void {
    this.expired.add(sequence);
    if (this.expired.size > MAX_EXPIRED) this.expired.delete(this.expired.values().next().value!);
  }

  private take(sequence: number): Request | undefined {
    const slot = sequence % SLOTS;
    const request = this.slots[slot];
    if (request?.sequence !== sequence) return undefined;
    this.slots[slot] = undefined;
    if (request.counts) this.counted -= 1;
    return request;
  }
}
