import { Button } from '@mantine/core';
import { replayDelivery } from '@signalbox/client';
import type { ReactNode } from 'react';
import { answerOf } from '../../api/answer.ts';
import { useSteps } from '../../parts/use-steps.tsx';
import { WORDS } from './words.ts';

/** Replays chosen deliveries one after the other; nothing while none is chosen. */
export function ReplayChosen({ ids, onDone }: { ids: readonly string[]; onDone: () => void }): ReactNode {
  const begin = useSteps();
  if (ids.length === 0) return null;
  const replay = () => {
    let at = 0;
    const step = async () => {
      await answerOf(replayDelivery({ path: { id: ids[at]! } }));
      at += 1;
      return 1;
    };
    void begin({ label: WORDS.replaying, total: ids.length, changes: ['webhooks'], step });
    onDone();
  };
  return <Button onClick={replay}>{`${WORDS.replay} ${ids.length} chosen`}</Button>;
}
