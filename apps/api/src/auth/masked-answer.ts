import { Readable, pipeline } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { maskNumbers } from '@signalbox/domain/msisdn';
import { maskJson, maskLines } from '../http/mask-numbers.ts';

const TEXT_TYPE = /^(text\/|application\/json)/;

/** The payload of an answer with all phone numbers masked, as viewers get it. Files stay as they are. */
export function maskedAnswer(reply: FastifyReply, payload: unknown): unknown {
  const type = String(reply.getHeader('content-type') ?? '');
  if (!TEXT_TYPE.test(type)) return payload;
  if (typeof payload === 'string')
    return type.startsWith('application/json') ? maskJson(payload) : maskNumbers(payload);
  if (!(payload instanceof Readable)) return payload;
  return pipeline(payload, maskLines(), () => undefined);
}
