import { Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { IconRepeat } from '@tabler/icons-react';
import { type ReplayRequest, replayDeliveries } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { KeyHeader } from '../../api/use-key.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { TimeInput } from '../../parts/time-input.tsx';
import type { DeliverySearch } from './delivery-search.ts';
import { WORDS } from './words.ts';

interface ReplayButtonProps {
  webhookId: string;
  /** Filters of the page, which the form begins with. */
  search: DeliverySearch;
}

/** Replays the deliveries of a period: it counts them first, and asks. */
export function ReplayButton({ webhookId, search }: ReplayButtonProps): ReactNode {
  return (
    <DialogButton
      label={WORDS.replayMany}
      title={WORDS.replayTitle}
      variant="default"
      leftSection={<IconRepeat size={16} />}
    >
      {(close) => <ReplayForm webhookId={webhookId} search={search} onStarted={close} />}
    </DialogButton>
  );
}

const DAY_MS = 86_400_000;

interface ReplayValues {
  status: string[];
  /** ISO 8601 instants. */
  from: string | undefined;
  to: string | undefined;
  rate: number | string;
}

function firstValues(search: DeliverySearch): ReplayValues {
  const from = search.from ?? new Date(Date.now() - DAY_MS).toISOString();
  const status = [search.status === 'delivered' ? 'delivered' : 'exhausted'];
  return { status, from, to: search.to, rate: 50 };
}

function requestOf({ status, from, to, rate }: ReplayValues): ReplayRequest {
  return {
    from: from ?? '',
    ...(to !== undefined && { to }),
    status: status as ReplayRequest['status'],
    ratePerSecond: Number(rate) || 50,
  };
}

/** True when a request has a beginning and a status. */
function isComplete({ from, status = [] }: ReplayRequest): boolean {
  return from !== '' && status.length > 0;
}

/** Counts the deliveries of a request as it changes, and as they end. */
function useCount(webhookId: string, body: ReplayRequest) {
  const [settled] = useDebouncedValue(body, 300, { leading: true });
  const { from, to, status } = settled;
  return useAnswer(
    ['webhooks', webhookId, 'replay', from, to, status],
    (signal) => replayDeliveries({ path: { id: webhookId }, body: { ...settled, dryRun: true }, signal }),
    { enabled: isComplete(settled), live: ['delivery'] },
  );
}

function ReplayForm({
  webhookId,
  search,
  onStarted,
}: ReplayButtonProps & { onStarted: () => void }): ReactNode {
  const form = useForm({ initialValues: firstValues(search) });
  const body = requestOf(form.values);
  const count = useCount(webhookId, body);
  const replay = (request: ReplayRequest, headers: KeyHeader) =>
    replayDeliveries({ path: { id: webhookId }, body: request, headers });
  const start = useAct(replay, { changes: ['webhooks'], done: WORDS.replayStarted, showsFailure: false });
  const failure = start.error ?? count.error;
  return (
    <Stack>
      <Text size="sm">{WORDS.replayText}</Text>
      {(search.recipient ?? search.messageId) !== undefined && (
        <Text size="sm">{WORDS.replayUnfiltered}</Text>
      )}
      <ReplayFields form={form} />
      <FailureAlert failure={failure} />
      <Text fw={600} role="status">
        {isComplete(body) ? countText(count.data) : WORDS.replayIncomplete}
      </Text>
      <ActionButton
        disabled={(count.data?.total ?? 0) === 0}
        onAct={() => start.mutateAsync(body, { onSuccess: onStarted })}
      >
        {WORDS.replayStart}
      </ActionButton>
    </Stack>
  );
}

function ReplayFields({ form }: { form: UseFormReturnType<ReplayValues> }): ReactNode {
  return (
    <>
      <Checkbox.Group label={WORDS.deliveryStatus} {...form.getInputProps('status')}>
        <Group mt={6}>
          <Checkbox value="exhausted" label={WORDS.deliveryStatuses.exhausted} />
          <Checkbox value="delivered" label={WORDS.deliveryStatuses.delivered} />
        </Group>
      </Checkbox.Group>
      <TimeInput label={WORDS.from} required {...form.getInputProps('from')} />
      <TimeInput label={WORDS.to} {...form.getInputProps('to')} />
      <NumberInput label={WORDS.replayRate} min={1} max={1_000} {...form.getInputProps('rate')} />
    </>
  );
}

function countText(counted: { total: number; countedTo: number } | undefined): string {
  if (!counted) return WORDS.replayCounting;
  const { total, countedTo } = counted;
  if (total === 0) return 'No delivery matches.';
  const count = total >= countedTo ? `At least ${countedTo.toLocaleString()}` : total.toLocaleString();
  return `${count} ${total === 1 ? 'delivery is' : 'deliveries are'} pushed again.`;
}
