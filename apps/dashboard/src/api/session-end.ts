import { useSyncExternalStore } from 'react';

/** Codes of calls without a live session: it has ended, or the browser has dropped its cookie. */
const CODES: ReadonlySet<string> = new Set(['session_expired', 'api_key_missing']);

/** Reason for which the page has no session: it has ended, or another user has signed in in the browser. */
type SessionEnd = 'ended' | 'replaced';

let hasEnded = false;
let lastEnd: SessionEnd = 'ended';
const watchers = new Set<() => void>();

/** True for the code of a call that was refused because the session has ended. */
export function isSessionEnd(code: string): boolean {
  return CODES.has(code);
}

/** Notes that a call found the session ended, or that of another user. */
export function endSessionOfPage(end: SessionEnd = 'ended'): void {
  change(true, end);
}

/** Notes that the page has its session again. */
export function resumeSessionOfPage(): void {
  change(false, lastEnd);
}

/** True after a call found the session of the page ended, and before the next sign-in. */
export function sessionHasEnded(): boolean {
  return hasEnded;
}

/** `sessionHasEnded` for components. */
export function useSessionEnd(): boolean {
  return useSyncExternalStore(watch, sessionHasEnded);
}

/** The last end of the session, for components; it stays after the next sign-in, while its dialog closes. */
export function useLastSessionEnd(): SessionEnd {
  return useSyncExternalStore(watch, () => lastEnd);
}

function change(next: boolean, end: SessionEnd): void {
  if (next === hasEnded && end === lastEnd) return;
  hasEnded = next;
  lastEnd = end;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
