import { type ChatTemplate, getChatTemplate } from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiFailure } from '../../api/failure.ts';
import { useAnswer } from '../../api/use-answer.ts';

/** Reads a template, and again every two seconds while it is under review. */
export function useTemplate(id: string, isWatched = false): UseQueryResult<ChatTemplate, ApiFailure> {
  return useAnswer(['template', id], (signal) => getChatTemplate({ query: { id }, signal }), {
    refetchInterval: isWatched ? 3_000 : false,
  });
}
