import type { FastifyReply } from 'fastify';

/**
 * Completes an answer before it is sent, and returns its payload. A rejection becomes the answer of an internal
 * error.
 */
type Finish = (reply: FastifyReply, payload: unknown) => Promise<unknown>;

/** A request whose answer has to be completed; most have none. */
export interface FinishedRequest {
  finish?: Finish;
}
