import { useMutation } from '@tanstack/react-query';
import { type ClientResult, answerOf } from '../api/answer.ts';
import type { ApiFailure } from '../api/failure.ts';

/** A sign-in under way. */
interface SignIn {
  /** Calls; its promise ends when what follows the sign-in has ended too. */
  signIn: () => Promise<unknown>;
  /** True once the api asks for the code of a second factor. */
  asksCode: boolean;
  failure: ApiFailure | null;
}

const CODE_ERRORS = new Set(['code_required', 'code_incorrect']);

/** Signs in with a call, and reports success; it fails too when what follows fails. */
export function useSignIn(call: () => ClientResult<unknown>, onSignedIn: () => unknown): SignIn {
  const mutation = useMutation<unknown, ApiFailure>({
    mutationFn: () => answerOf(call()),
    onSuccess: onSignedIn,
  });
  return {
    signIn: () => mutation.mutateAsync(),
    asksCode: CODE_ERRORS.has(mutation.error?.code ?? ''),
    failure: mutation.error,
  };
}
