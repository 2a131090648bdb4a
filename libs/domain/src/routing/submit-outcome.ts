import type { NamedMessage } from '../message-id.ts';
import type { ReportedStatus } from '../message-status.ts';

/** The extent of a throttle: one message, its pair of sender and recipient, all of its sender, or the whole gateway. */
export type ThrottleScope = 'message' | 'pair' | 'sender' | 'gateway';

/** Outcome of one submitted message. Expected outcomes are values, never exceptions. */
export type SubmitOutcome = NamedMessage &
  (
    | {
        result: 'accepted';
        /** Ids of the segments in order; empty when the gateway names none. */
        gatewayMessageIds: string[];
      }
    /** Possibly accepted: the message is not submitted again, and its report decides. */
    | { result: 'unconfirmed' }
    /** Not accepted: the message is submitted again after the delay. */
    | {
        result: 'throttled';
        scope: ThrottleScope;
        retryAfterMs: number;
        reason?: string;
        /** A fault of the gateway that may pass. It counts against its health, as a refusal does. */
        isFault?: boolean;
      }
    /** Refused permanently. */
    | {
        result: 'rejected';
        errCode: string;
        description: string;
        /** The code as the gateway gave it. */
        gatewayCode?: string;
        /** The refusal concerns this gateway or route alone, so another one may take the message. */
        tryOther?: boolean;
      }
  );

/** Report of a gateway on one message. `errCode` is `000` if there was no error. */
export interface GatewayReport extends NamedMessage {
  status: ReportedStatus;
  errCode: string;
  description: string;
  operatorCircle?: string;
  reportedAt: Date;
  /** The code as the gateway gave it. */
  gatewayCode?: string;
  /** Further facts, such as the price or raw errors: at most 2 KB of JSON. */
  details?: Record<string, unknown>;
}
