import { Button, Group, Progress, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { replayDelivery } from '@signalbox/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { answerOf } from '../../api/answer.ts';
import { ApiFailure } from '../../api/failure.ts';
import { WORDS } from './words.ts';

/** Replays chosen deliveries one after the other, with progress; it can be stopped between two of them. */
export function ReplayChosen({ ids, onDone }: { ids: readonly string[]; onDone: () => void }): ReactNode {
  const queries = useQueryClient();
  const [done, setDone] = useState<number>();
  const isStopped = useRef(false);
  const run = async () => {
    isStopped.current = false;
    const failed = await replayAll(ids, { isStopped: () => isStopped.current, onProgress: setDone });
    setDone(undefined);
    onDone();
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
    for (const failure of failed.slice(0, 3)) notifications.show({ message: failure.message, color: 'red' });
  };
  if (done !== undefined)
    return (
      <Group gap="xs" role="status">
        <Progress value={(done / ids.length) * 100} w={120} aria-label={WORDS.replay} />
        <Text size="sm">{`${done} of ${ids.length}`}</Text>
        <Button variant="subtle" size="xs" onClick={() => (isStopped.current = true)}>
          {WORDS.stopped}
        </Button>
      </Group>
    );
  if (ids.length === 0) return null;
  return <Button onClick={() => void run()}>{`${WORDS.replay} ${ids.length} chosen`}</Button>;
}

interface ReplayRun {
  isStopped: () => boolean;
  onProgress: (done: number) => void;
}

async function replayAll(
  ids: readonly string[],
  { isStopped, onProgress }: ReplayRun,
): Promise<ApiFailure[]> {
  const failed: ApiFailure[] = [];
  for (const [i, id] of ids.entries()) {
    if (isStopped()) break;
    onProgress(i);
    try {
      await answerOf(replayDelivery({ path: { id } }));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      failed.push(error);
    }
  }
  return failed;
}
