import type { SmsLane } from '@signalbox/domain/lane';
import type { Bind } from './bind.ts';
import type { PduBody } from './pdu.ts';
import type { LinkAnswer, QueuedRequest } from './submit-queue.ts';

/** A message whose segments are submitted one by one. */
export interface SegmentSource {
  readonly message: { type: SmsLane };
  /** Segments that the server sends for one of ours. */
  readonly paced: number;
  /** @throws UnwritableError */
  bodyOf(index: number): PduBody;
  /** Takes the end of the request of a segment. */
  take(index: number, answer: LinkAnswer): void;
}

/** The request that submits one segment of a message. Its PDU is built when it is sent. */
export class SegmentRequest implements QueuedRequest {
  via: Bind | undefined = undefined;
  isCancelled = false;

  constructor(
    private readonly source: SegmentSource,
    private readonly index: number,
  ) {}

  get lane(): SmsLane {
    return this.source.message.type;
  }

  get body(): PduBody {
    return this.source.bodyOf(this.index);
  }

  get isContinued(): boolean {
    return this.index > 0;
  }

  get segments(): number {
    return this.source.paced;
  }

  done(answer: LinkAnswer): void {
    this.source.take(this.index, answer);
  }
}
