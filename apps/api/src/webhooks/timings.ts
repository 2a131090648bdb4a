import { Type } from 'typebox';
import { MILLISECONDS, nullable } from '../docs/model.ts';

/** Milliseconds in each phase of a call. */
export const TIMINGS = Type.Object(
  {
    dnsMs: nullable(MILLISECONDS),
    connectMs: nullable(MILLISECONDS),
    tlsMs: nullable(MILLISECONDS),
    firstByteMs: nullable(MILLISECONDS),
  },
  { description: 'Duration of each phase; null for a phase that was skipped or not reached.' },
);
