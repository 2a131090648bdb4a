import { Group, Progress, Stack, Text } from '@mantine/core';
import { type Replay, cancelReplay, listReplays } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

const COLORS = { running: 'blue', done: 'teal', cancelled: 'gray' } as const;

/** The latest replays with their progress; nothing while there are none. */
export function Replays({ webhookId }: { webhookId: string }): ReactNode {
  const replays = useAnswer(
    ['webhooks', webhookId, 'replays'],
    (signal) => listReplays({ path: { id: webhookId }, query: { limit: 5 }, signal }),
    { live: ['delivery'] },
  );
  if (!replays.data || replays.data.length === 0) return null;
  return (
    <Section title={WORDS.replays}>
      <Stack gap="sm">
        {replays.data.map((replay) => (
          <ReplayRow key={replay.id} replay={replay} />
        ))}
      </Stack>
    </Section>
  );
}

function ReplayRow({ replay }: { replay: Replay }): ReactNode {
  const { total, replayed, statuses } = replay;
  const status = replay.status as keyof typeof COLORS;
  const share = status === 'done' || total === 0 ? 100 : (replayed / total) * 100;
  return (
    <Group gap="md">
      <Status status={WORDS.replayStatus[status]} color={COLORS[status]} />
      <Text size="sm" miw={180}>
        {`${replayed.toLocaleString()} of ${total.toLocaleString()} ${statuses.join(' and ')}`}
      </Text>
      <Progress value={share} color={COLORS[status]} flex={1} miw={120} aria-label={WORDS.replays} />
      <Text size="sm" c="dimmed">
        <Time at={replay.createdAt} />
      </Text>
      {status === 'running' && <CancelButton replay={replay} />}
    </Group>
  );
}

function CancelButton({ replay: { id, webhookId } }: { replay: Replay }): ReactNode {
  const cancel = useAct(() => cancelReplay({ path: { id: webhookId, replayId: id ?? '' } }), {
    changes: ['webhooks'],
  });
  if (!useMay('webhooks')) return null;
  return (
    <ConfirmButton
      size="xs"
      question={WORDS.cancelQuestion}
      consequence={WORDS.cancelText}
      verb="Cancel replay"
      onConfirm={() => cancel.mutateAsync()}
    >
      {WORDS.cancelReplay}
    </ConfirmButton>
  );
}
