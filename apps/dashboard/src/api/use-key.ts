import { useState } from 'react';

/** The header by which the api knows a repeated call. */
export type KeyHeader = Record<'Idempotency-Key', string>;

/** Keys of the calls of one form. */
export interface RequestKeys {
  /** The key of a request: the same until the request ends, as for a repeat after a lost answer. */
  headerOf: (request: unknown) => KeyHeader;
  /** Ends the key of a request that succeeded, so that the next call with the same body is a new one. */
  end: (request: unknown) => void;
}

/** Keeps the idempotency keys of the requests that a form made, each until the request succeeds. */
export function useKey(): RequestKeys {
  const [keys] = useState(requestKeys);
  return keys;
}

function requestKeys(): RequestKeys {
  const keys = new Map<string | undefined, string>();
  return {
    headerOf: (given) => {
      const request = JSON.stringify(given);
      const key = keys.get(request) ?? newKey();
      keys.set(request, key);
      return { 'Idempotency-Key': key };
    },
    end: (given) => {
      keys.delete(JSON.stringify(given));
    },
  };
}

/** A random key. The page may be served without TLS, where browsers have no randomUUID. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
