import { useCallback, useRef } from 'react';

/** The header by which the api knows a repeated call. */
export type KeyHeader = Record<'Idempotency-Key', string>;

/** Keys of the calls of one form. */
export interface RequestKeys {
  /** The key of a request: the same while the request is, as for a repeat after a lost answer. */
  headerOf: (request: unknown) => KeyHeader;
  /** Ends the key, so that the next call is a new one. */
  end: () => void;
}

/** Keeps the idempotency key of the request that a form last made, until the request succeeds. */
export function useKey(): RequestKeys {
  const last = useRef<{ request: string | undefined; key: string }>(undefined);
  const headerOf = useCallback((given: unknown) => {
    const request = JSON.stringify(given);
    if (!last.current || last.current.request !== request) last.current = { request, key: newKey() };
    return { 'Idempotency-Key': last.current.key };
  }, []);
  const end = useCallback(() => {
    last.current = undefined;
  }, []);
  return { headerOf, end };
}

/** A random key. The page may be served without TLS, where browsers have no randomUUID. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
