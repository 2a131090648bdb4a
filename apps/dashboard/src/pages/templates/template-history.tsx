import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { type ChatTemplateEvent, chatTemplateHistory } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { MoreButton, PreviousButton } from '../../parts/more-button.tsx';
import { ReadFailure } from '../../parts/read-failure.tsx';
import { Time } from '../../parts/time.tsx';
import classes from './templates.module.css';
import { WORDS } from './words.ts';

const { detail: WORD } = WORDS;

/** Versions and decisions of a template, newest first, each edit with its changes. */
export function TemplateHistory({ id, changedAt }: { id: string; changedAt: string }): ReactNode {
  const history = useList(['template-history', id, changedAt], (cursor, signal) =>
    chatTemplateHistory({ query: { id, cursor }, signal }),
  );
  if (history.isLoading) return <Skeleton height={80} aria-label="Loading" />;
  if (history.unread) return <ErrorState failure={history.unread} onRetry={history.reload} />;
  return (
    <>
      <Stack gap="xs" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        <PreviousButton list={history} />
        {history.rows.map((event) => (
          <li key={`${event.at} ${event.event}`}>
            <Event event={event} />
          </li>
        ))}
        <MoreButton list={history} />
      </Stack>
      <ReadFailure list={history} />
    </>
  );
}

function Event({
  event: { event, version, actor, actorName, reason, at, changes },
}: {
  event: ChatTemplateEvent;
}): ReactNode {
  return (
    <>
      <Group gap={8} fz="sm">
        <Text fw={600}>{WORDS.events[event] ?? event}</Text>
        <Text c="dimmed">{WORD.version(version)}</Text>
        <Text c="dimmed">
          <Time at={at} as="short" />
        </Text>
        <Text c="dimmed">{WORD.by(actorName ?? WORD.actors[actor] ?? actor)}</Text>
      </Group>
      {reason !== null && (
        <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
          {reason}
        </Text>
      )}
      {changes.map((change) => (
        <Change key={change.field} change={change} />
      ))}
    </>
  );
}

function Change({
  change: { field, before, after },
}: {
  change: ChatTemplateEvent['changes'][number];
}): ReactNode {
  return (
    <>
      <Text size="xs" c="dimmed" mt={4}>
        {field}
      </Text>
      <div className={classes['diff']}>
        <del className={classes['before']} style={{ textDecoration: 'none' }}>
          {before ?? WORD.added}
        </del>
        <ins className={classes['after']} style={{ textDecoration: 'none' }}>
          {after ?? WORD.removed}
        </ins>
      </div>
    </>
  );
}
