import { type ChatTemplate, getChatTemplate } from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiFailure } from '../../api/failure.ts';
import { useAnswer } from '../../api/use-answer.ts';

/** Reads a template, and again after each event of one if it is shown live. */
export function useTemplate(id: string, isLive = false): UseQueryResult<ChatTemplate, ApiFailure> {
  return useAnswer(
    ['template', id],
    (signal) => getChatTemplate({ query: { id }, signal }),
    isLive ? { live: ['template'] } : {},
  );
}
