import type { FormEvent } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** Handles the submit of a form on the page. A refused call shows its failure itself. */
export function onSubmit(act: () => unknown): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    Promise.resolve(act()).catch((error: unknown) => {
      if (!(error instanceof ApiFailure)) throw error;
    });
  };
}
