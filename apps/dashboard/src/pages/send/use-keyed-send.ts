import type { UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';

/** Sends a request under an idempotency key. */
type Send<Request, Body> = (request: Request, key: string) => ClientResult<Body>;

/**
 * Sends each composed request once. The key belongs to the request: a second click, or a repeat after a lost answer, has
 * the same key and returns the first answer; a changed request gets a new one.
 */
export function useKeyedSend<Request, Body>(
  send: Send<Request, Body>,
): UseMutationResult<Body, ApiFailure, Request> {
  const last = useRef({ request: '', key: '' });
  return useAct(
    (request: Request) => {
      const text = JSON.stringify(request);
      if (last.current.request !== text) last.current = { request: text, key: newKey() };
      return send(request, last.current.key);
    },
    { changes: ['messages', 'sends'], showsFailure: false },
  );
}

/** A random key. The page may be served without TLS, where browsers have no randomUUID. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
