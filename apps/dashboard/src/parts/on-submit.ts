import type { FormEvent } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** Forms whose act is under way. */
const busy = new WeakSet<EventTarget>();

/**
 * Handles the submit of a form on the page; a second one does nothing while the act is under way. A refused call shows
 * its failure itself.
 */
export function onSubmit(act: () => unknown): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    if (!busy.has(event.currentTarget)) void submit(event.currentTarget, act);
  };
}

async function submit(form: EventTarget, act: () => unknown): Promise<void> {
  busy.add(form);
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
  } finally {
    busy.delete(form);
  }
}
