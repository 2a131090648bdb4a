import { Group, MultiSelect, Pill } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { CHANNEL_CHOICES } from '../../parts/channel-name.ts';
import { FindForm } from '../../parts/find-form.tsx';
import { useIsLeaving } from '../../parts/use-is-leaving.ts';
import { findTarget } from './find-target.ts';
import { MoreFilters } from './more-filters.tsx';
import { type MessageSearch, type Period, STATUSES, TEXT_FILTERS, statusesOf } from './search.ts';
import { useChange } from './use-change.ts';
import { PERIODS, TEXT_LABELS, WORDS } from './words.ts';

/** The filters of the list of messages. */
export function FilterBar({ search }: { search: MessageSearch }): ReactNode {
  const change = useChange();
  const statuses = statusesOf(search);
  return (
    <Group gap="xs" align="flex-start" flex={1}>
      <Finder />
      <MultiSelect
        aria-label={WORDS.status}
        placeholder={statuses.length === 0 ? WORDS.anyStatus : undefined!}
        data={[...STATUSES]}
        value={statuses}
        onChange={(chosen) => change({ status: chosen.join(',') || undefined })}
        w={{ base: '100%', xs: 'auto' }}
        miw={150}
        maw={{ base: '100%', xs: 320 }}
      />
      <ChoiceFilter
        label={WORDS.channel}
        placeholder={WORDS.anyChannel}
        data={CHANNEL_CHOICES}
        value={search.channel}
        onChange={(channel) => change({ channel: channel as MessageSearch['channel'] })}
        w={{ base: 'calc(50% - 5px)', xs: 130 }}
      />
      <ChoiceFilter
        label={WORDS.time}
        placeholder={WORDS.anyTime}
        data={Object.entries(PERIODS).map(([value, label]) => ({ value, label }))}
        value={search.last}
        onChange={(last) => change({ last: last as Period | undefined, from: undefined, to: undefined })}
        w={{ base: 'calc(50% - 5px)', xs: 150 }}
      />
      <MoreFilters search={search} />
      <Chips search={search} />
    </Group>
  );
}

/**
 * The field that takes a number, a message id or the id of a send. It applies by Enter, and when it is left: an export
 * would hold every message otherwise. Only Enter opens a message.
 */
function Finder(): ReactNode {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const navigate = useNavigate();
  const isLeaving = useIsLeaving();
  const change = useChange();
  const filter = () => {
    const target = findTarget(typed);
    setProblem(target || typed.trim() === '' ? undefined : WORDS.notFindable);
    if (!target || 'messageId' in target) return target?.messageId;
    setTyped('');
    change(target);
  };
  const find = () => {
    const messageId = filter();
    if (messageId === undefined) return;
    setTyped('');
    void navigate({ to: '/messages/$messageId', params: { messageId } });
  };
  return (
    <FindForm
      label={WORDS.find}
      value={typed}
      problem={problem}
      onChange={setTyped}
      onFind={find}
      onBlur={() => isLeaving() || filter()}
      style={{ flex: '1 1 220px', maxWidth: 420 }}
    />
  );
}

const CHIPS = {
  recipient: WORDS.recipient,
  submissionId: WORDS.submission,
  ...TEXT_LABELS,
} as const;

/** Filters in force that have no field of their own in the bar; each can be removed. */
function Chips({ search }: { search: MessageSearch }): ReactNode {
  const change = useChange();
  const names = (['recipient', 'submissionId', ...TEXT_FILTERS] as const).filter((name) => search[name]);
  const { from, to } = search;
  if (names.length === 0 && !from && !to) return null;
  return (
    <Group gap={6} w="100%">
      {names.map((name) => (
        <Pill
          key={name}
          withRemoveButton
          onRemove={() => change({ [name]: undefined })}
          removeButtonProps={{ 'aria-label': `Remove ${CHIPS[name]}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {`${CHIPS[name]}: ${search[name]}`}
        </Pill>
      ))}
      {(from || to) && (
        <Pill
          withRemoveButton
          onRemove={() => change({ from: undefined, to: undefined })}
          removeButtonProps={{ 'aria-label': `Remove ${WORDS.time}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {`${from ? new Date(from).toLocaleString() : '…'} – ${to ? new Date(to).toLocaleString() : '…'}`}
        </Pill>
      )}
    </Group>
  );
}
