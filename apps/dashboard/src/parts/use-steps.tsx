import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** An act on many things that is done by several calls. */
export interface Steps {
  /** Names what is done, as `Freeing messages`. */
  label: string;
  /** Things to act on; those that come to match meanwhile are left. */
  total: number;
  /** Things that are done already. */
  done?: number;
  /** Acts on the next things. Returns the number of those that it changed; undefined when none is left. */
  step: () => Promise<number | undefined>;
  /** First members of the keys that the act makes stale. */
  changes: readonly string[];
}

/**
 * Runs an act call by call, with its progress in a notification that stays while the person visits other pages, and can
 * be stopped between two calls. Returns a function that begins one; its promise ends with the act.
 */
export function useSteps(): (steps: Steps) => Promise<void> {
  const queries = useQueryClient();
  return (steps) => run(queries, steps);
}

async function run(queries: QueryClient, steps: Steps): Promise<void> {
  const { label, total, step, changes } = steps;
  let { done = 0 } = steps;
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const fixed = { title: label, autoClose: false as const, withCloseButton: false };
  const id = notifications.show({
    ...fixed,
    message: <StepProgress done={done} total={total} onStop={stop} />,
  });
  try {
    while (done < total && !stopping.signal.aborted) {
      const count = await step();
      if (count === undefined) break;
      done += count;
      const message = <StepProgress done={done} total={total} onStop={stop} />;
      notifications.update({ id, ...fixed, message });
    }
    const how = stopping.signal.aborted ? 'Stopped after' : 'Done:';
    finish(id, label, `${how} ${done.toLocaleString()}.`, 'teal');
  } catch (error) {
    const reason = error instanceof ApiFailure ? error.message : 'This page failed.';
    finish(id, label, `${reason} ${done.toLocaleString()} were done before.`, 'red');
    if (!(error instanceof ApiFailure)) throw error;
  } finally {
    await Promise.all(changes.map((area) => queries.invalidateQueries({ queryKey: [area] })));
  }
}

function finish(id: string, title: string, message: string, color: string): void {
  notifications.update({ id, title, message, color, autoClose: 8_000, withCloseButton: true });
}

function StepProgress(props: { done: number; total: number; onStop: () => void }): ReactNode {
  const { done, total, onStop } = props;
  return (
    <Stack gap={6}>
      <Progress value={Math.min(99, (100 * done) / Math.max(total, 1))} animated aria-label="Progress" />
      <Group justify="space-between">
        <Text size="sm" role="status">{`${done.toLocaleString()} of ${total.toLocaleString()}`}</Text>
        <Button size="compact-xs" variant="subtle" onClick={onStop}>
          Stop
        </Button>
      </Group>
    </Stack>
  );
}
