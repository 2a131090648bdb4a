import { Group, Stack, Text, Title } from '@mantine/core';
import { type Delivery, type Webhook, type WebhookHealth, listDeliveries } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { withoutUndefined } from '../../parts/search-params.ts';
import { Status } from '../../parts/status.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { TimeInput } from '../../parts/time-input.tsx';
import { Time } from '../../parts/time.tsx';
import { useChosen } from '../../parts/use-chosen.ts';
import type { DeliverySearch } from './delivery-search.ts';
import { NextAttempt } from './due.tsx';
import { shortReason } from './reasons.ts';
import { ReplayButton } from './replay-button.tsx';
import { ReplayChosen } from './replay-chosen.tsx';
import { milliseconds } from './timings.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/webhooks/$webhookId');

/** The deliveries of a configuration with their calls, filtered by the address of the page. */
export function Deliveries({
  webhook,
  health,
}: {
  webhook: Webhook;
  health: WebhookHealth | undefined;
}): ReactNode {
  const webhookId = webhook.id;
  const search = route.useSearch();
  const [chosen, setChosen] = useChosen(JSON.stringify([webhookId, search]));
  const list = useList(
    ['webhooks', webhookId, 'deliveries', search],
    (cursor, signal) => listDeliveries({ path: { id: webhookId }, query: { ...search, cursor }, signal }),
    { live: ['delivery'] },
  );
  const mayReplay = useMay('webhooks');
  const isFiltered = Object.keys(search).length > 0;
  const navigate = route.useNavigate();
  const clear = () => void navigate({ search: {}, replace: true, resetScroll: false });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <div>
          <Title order={2}>{WORDS.attempts}</Title>
          <Text size="sm" c="dimmed">
            {WORDS.attemptsHint}
          </Text>
        </div>
        {mayReplay && (
          <Group gap="xs">
            <ReplayChosen ids={[...chosen]} onDone={() => setChosen(new Set())} />
            <ReplayButton webhookId={webhookId} search={search} />
          </Group>
        )}
      </Group>
      <DataList
        label={WORDS.attempts}
        list={list}
        columns={columnsOf(webhook, health)}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/deliveries/$deliveryId', params: { deliveryId: id } })}
        filters={<Filters search={search} />}
        onClear={isFiltered ? clear : undefined}
        {...(mayReplay && { selection: { chosen, onChange: setChosen } })}
        empty={
          isFiltered ? (
            <EmptyState title={WORDS.noMatch} text={WORDS.noMatchText} />
          ) : (
            <EmptyState title={WORDS.noDeliveries} text={WORDS.noDeliveriesText} />
          )
        }
      />
    </Stack>
  );
}

const columnsOf = (webhook: Webhook, health: WebhookHealth | undefined): readonly Column<Delivery>[] => [
  {
    id: 'createdAt',
    label: 'Report',
    width: '104px',
    cell: ({ createdAt }) => <Time at={createdAt} as="short" />,
  },
  {
    id: 'status',
    label: WORDS.deliveryStatus,
    width: '100px',
    cell: ({ status }) => <Status status={status} />,
  },
  { id: 'outcome', label: 'Last response', width: 'minmax(136px, 2fr)', cell: outcome },
  { id: 'messageStatus', label: 'Report says', width: '92px', cell: ({ messageStatus }) => messageStatus },
  { id: 'recipient', label: WORDS.recipient, width: '112px', cell: ({ recipient }) => recipient },
  { id: 'calls', label: 'Calls', width: '50px', align: 'end', cell: ({ attempts }) => attempts.length },
  {
    id: 'duration',
    label: 'Duration',
    width: '76px',
    align: 'end',
    optional: 'shown',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? milliseconds(last.durationMs) : '';
    },
  },
  {
    id: 'next',
    label: 'Next attempt',
    width: 'minmax(124px, 1.4fr)',
    optional: 'shown',
    cell: (delivery) => <NextAttempt delivery={delivery} webhook={webhook} health={health} />,
  },
  {
    id: 'messageId',
    label: WORDS.messageId,
    width: 'minmax(200px, 1fr)',
    optional: 'hidden',
    cell: ({ messageId }) => messageId,
  },
];

/** A few words: the page of the delivery has the whole sentence. */
function outcome({ attempts, reason }: Delivery): string {
  const last = attempts.at(-1);
  if (last && last.responseStatus !== null && (last.error === null || last.error === 'bad_status'))
    return `Returned ${last.responseStatus}`;
  const why = last?.error ?? reason;
  return why === null ? '' : shortReason(why);
}

function Filters({ search }: { search: DeliverySearch }): ReactNode {
  const navigate = route.useNavigate();
  const change = (part: DeliverySearch) =>
    void navigate({
      search: (before) => withoutUndefined<DeliverySearch>({ ...before, ...part }),
      replace: true,
      resetScroll: false,
    });
  const statuses = Object.entries(WORDS.deliveryStatuses).map(([value, label]) => ({ value, label }));
  return (
    <>
      <ChoiceFilter
        label={WORDS.deliveryStatus}
        data={statuses}
        value={search.status}
        w={140}
        onChange={(status) => change({ status: status as DeliverySearch['status'] })}
      />
      <TextFilter
        label={WORDS.recipient}
        value={search.recipient}
        onChange={(recipient) => change({ recipient })}
      />
      <TextFilter
        label={WORDS.messageId}
        value={search.messageId}
        onChange={(messageId) => change({ messageId })}
      />
      <TimeInput isInline label={WORDS.from} value={search.from} onChange={(from) => change({ from })} />
      <TimeInput isInline label={WORDS.to} value={search.to} onChange={(to) => change({ to })} />
    </>
  );
}
