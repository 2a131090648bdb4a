import { useSyncExternalStore } from 'react';

/** Codes of calls without a live session: it has ended, or the browser has dropped its cookie. */
const CODES: ReadonlySet<string> = new Set(['session_expired', 'api_key_missing']);

let hasEnded = false;
const watchers = new Set<() => void>();

/** True for the code of a call that was refused because the session has ended. */
export function isSessionEnd(code: string): boolean {
  return CODES.has(code);
}

/** Notes that a call found the session ended. */
export function endSessionOfPage(): void {
  change(true);
}

/** Notes that the page has its session again. */
export function resumeSessionOfPage(): void {
  change(false);
}

/** True after a call found the session of the page ended, and before the next sign-in. */
export function sessionHasEnded(): boolean {
  return hasEnded;
}

/** `sessionHasEnded` for components. */
export function useSessionEnd(): boolean {
  return useSyncExternalStore(watch, sessionHasEnded);
}

function change(next: boolean): void {
  if (next === hasEnded) return;
  hasEnded = next;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
