import { type Delivery, getDelivery, replayDelivery } from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiFailure } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';

/** Reads a delivery with its calls, and again after each event of one. */
export function useDelivery(id: string): UseQueryResult<Delivery, ApiFailure> {
  return useAnswer(['webhooks', 'delivery', id], (signal) => getDelivery({ path: { id }, signal }), {
    live: ['delivery'],
  });
}

/** Pushes a delivery again. */
export function useReplay(id: string, done: string) {
  return useAct(() => replayDelivery({ path: { id } }), { changes: ['webhooks', 'messages'], done });
}
