import { Button, Collapse, Group, Loader, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { DeliveryAttempt, TimelineEvent } from '@signalbox/client';
import { IconRepeat } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useMay, useSession } from '../../app/use-session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { FailureText } from '../../parts/error-state.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { Due } from '../webhooks/due.tsx';
import { reasonText } from '../webhooks/reasons.ts';
import { useDelivery, useReplay } from '../webhooks/use-delivery.ts';
import { MESSAGE_WORDS } from './words.ts';

/** The calls of a push, with their answers, and a button that pushes again. */
export function PushCalls({ event }: { event: TimelineEvent }): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(false);
  const { scopes } = useSession();
  const mayPush = useMay('webhooks');
  const now = useNow(5_000);
  const id = event.deliveryId!;
  const again = useReplay(id, MESSAGE_WORDS.pushed);
  if (!scopes.includes('webhooks')) return null;
  return (
    <Stack gap={6} mt={4}>
      {event.nextAttemptAt !== undefined && Date.parse(event.nextAttemptAt) > now && (
        <Text size="sm" component="div">
          Next call <Due at={event.nextAttemptAt} />
        </Text>
      )}
      <Group gap="xs">
        <Button variant="subtle" size="compact-xs" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? MESSAGE_WORDS.hideAttempts : MESSAGE_WORDS.attempts}
        </Button>
        {mayPush && (
          <ActionButton
            variant="default"
            size="compact-xs"
            leftSection={<IconRepeat size={13} />}
            onAct={() => again.mutateAsync()}
          >
            {MESSAGE_WORDS.pushAgain}
          </ActionButton>
        )}
      </Group>
      <Collapse expanded={isOpen}>{isOpen && <Calls id={id} />}</Collapse>
    </Stack>
  );
}

function Calls({ id }: { id: string }): ReactNode {
  const { data, error } = useDelivery(id);
  if (error) return <FailureText failure={error} />;
  if (!data) return <Loader size="xs" aria-label="Loading" />;
  if (data.attempts.length === 0) return <Text size="sm">No call was made yet.</Text>;
  return (
    <Stack gap="xs">
      {data.attempts.map((attempt) => (
        <Call key={attempt.at} attempt={attempt} />
      ))}
    </Stack>
  );
}

function Call({ attempt }: { attempt: DeliveryAttempt }): ReactNode {
  const { at, responseStatus, error, durationMs, timings, answer } = attempt;
  const shares = Object.entries(timings)
    .filter(([, ms]) => ms !== null)
    .map(([name, ms]) => `${name.replace(/Ms$/, '')} ${ms} ms`);
  return (
    <div>
      <Text size="sm" component="div">
        <Time at={at} as="full" />
        {` · ${responseStatus ?? (error === null ? 'no response' : reasonText(error))} · ${Math.round(durationMs).toLocaleString()} ms`}
      </Text>
      {shares.length > 0 && (
        <Text size="xs" c="dimmed">
          {shares.join(', ')}
        </Text>
      )}
      {answer !== null && answer !== '' && <JsonView value={answer} label="response" maxHeight={160} />}
    </div>
  );
}
