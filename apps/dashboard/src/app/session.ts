import type { Me } from '@signalbox/client';

/** The signed-in user, with the account and the scopes of the session. */
export type Session = Me;

/** A right of a key or a role. */
export type Scope = Session['scopes'][number];
