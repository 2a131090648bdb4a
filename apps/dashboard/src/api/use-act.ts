import { notifications } from '@mantine/notifications';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ClientResult, answerOf } from './answer.ts';
import type { ApiFailure } from './failure.ts';
import { isSessionEnd } from './session-end.ts';
import { type KeyHeader, useKey } from './use-key.ts';

/** Options of a writing call. */
interface ActOptions<Body> {
  /** First members of the keys that the write makes stale, as `['webhooks', 'endpoints']`. */
  changes?: readonly string[];
  /** Sentence to show after success; a function gets the body of the answer. */
  done?: string | ((body: Body) => string);
  /** False when the form shows the failure itself. */
  showsFailure?: boolean;
}

/**
 * Makes a writing call: `useAct((id: string) => deleteWebhook({ path: { id } }), { changes: ['webhooks'] })`. A call that
 * creates passes `headers` on: a repeat after a lost answer then returns the first answer.
 */
export function useAct<Body, Given = void>(
  call: (given: Given, headers: KeyHeader) => ClientResult<Body>,
  { changes = [], done, showsFailure = true }: ActOptions<Body> = {},
): UseMutationResult<Body, ApiFailure, Given> {
  const queries = useQueryClient();
  const keys = useKey();
  return useMutation<Body, ApiFailure, Given>({
    mutationFn: (given) => answerOf(call(given, keys.headerOf(given))),
    onSuccess: async (body, given) => {
      keys.end(given);
      if (done !== undefined)
        notifications.show({ message: typeof done === 'function' ? done(body) : done, color: 'teal' });
      await Promise.all(changes.map((area) => queries.invalidateQueries({ queryKey: [area] })));
    },
    onError: (failure) => {
      if (showsFailure && !isSessionEnd(failure.code)) notifications.show(failureNotice(failure));
    },
  });
}

function failureNotice({ message, code, requestId }: ApiFailure) {
  const request = requestId === undefined ? '' : ` · request ${requestId}`;
  return { title: message, message: `${code}${request}`, color: 'red', autoClose: 12_000 };
}
