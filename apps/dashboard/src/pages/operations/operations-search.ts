import { oneOf, withoutUndefined } from '../../parts/search-params.ts';
import { KINDS } from './words.ts';

/** A kind of parked rows. */
export type ParkedKind = keyof typeof KINDS;

/** States of jobs that a queue lists. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Reads the state of jobs in an address; what is not one is left out. */
export const readJobSearch = ({ state }: Record<string, unknown>): { state?: JobState } =>
  withoutUndefined<{ state?: JobState }>({ state: oneOf(JOB_STATES, state) });

/** Reads the kind of parked rows in an address; what is not one is left out. */
export const readParkedSearch = ({ kind }: Record<string, unknown>): { kind?: ParkedKind } =>
  withoutUndefined<{ kind?: ParkedKind }>({ kind: oneOf(Object.keys(KINDS) as ParkedKind[], kind) });
