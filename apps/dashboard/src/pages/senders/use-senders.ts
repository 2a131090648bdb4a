import { type Sender, listSenders } from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiFailure } from '../../api/failure.ts';
import { useAnswer } from '../../api/use-answer.ts';

/** Lists what the account sends from: its numbers of chat apps, and the senders of its latest SMS. */
export function useSenders(): UseQueryResult<Sender[], ApiFailure> {
  return useAnswer(['senders'], (signal) => listSenders({ signal }));
}
