import { Text } from '@mantine/core';
import type { MessageSummary } from '@signalbox/client';
import type { ReactNode } from 'react';
import { countryName } from '../../parts/country-name.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { shortTypeName } from '../../parts/type-names.ts';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';

function Mono({ children }: { children: ReactNode }): ReactNode {
  return (
    <Text span ff="monospace" size="sm">
      {children}
    </Text>
  );
}

/** Columns of the list of messages. */
export const COLUMNS: readonly Column<MessageSummary>[] = [
  {
    id: 'recipient',
    label: 'Recipient',
    cell: ({ recipient }) => <Mono>{recipient}</Mono>,
    width: 'minmax(120px, 1.2fr)',
  },
  {
    id: 'status',
    label: 'Status',
    cell: (message) => <MessageStatusBadge {...message} />,
    width: 'minmax(92px, 0.8fr)',
  },
  {
    id: 'error',
    label: 'Reason',
    cell: ({ status, errCode, statusDescription }) =>
      status === 'Failed' ? `${errCode ?? ''} ${statusDescription ?? ''}` : '',
    optional: 'shown',
    width: 'minmax(120px, 3fr)',
  },
  {
    id: 'sender',
    label: 'Sender',
    cell: ({ sender }) => sender,
    optional: 'shown',
    width: 'minmax(98px, 1fr)',
  },
  {
    id: 'channel',
    label: 'Channel',
    cell: ({ channel, type }) => `${CHANNEL_NAMES[channel]} · ${shortTypeName(type)}`,
    optional: 'shown',
    width: 'minmax(148px, 1.4fr)',
  },
  { id: 'campaign', label: 'Campaign', cell: ({ campaignName }) => campaignName, optional: 'hidden' },
  { id: 'reference', label: 'Reference', cell: ({ clientRef }) => clientRef, optional: 'hidden' },
  {
    id: 'gateway',
    label: 'Gateway',
    cell: ({ gateway }) => gateway,
    optional: 'shown',
    width: 'minmax(100px, 1fr)',
  },
  {
    id: 'carrier',
    label: 'Carrier',
    cell: ({ operatorCircle }) => (operatorCircle === 'UNKNOWN' ? '' : operatorCircle),
    optional: 'hidden',
  },
  {
    id: 'country',
    label: 'Country',
    cell: ({ country }) => country && countryName(country),
    optional: 'hidden',
    width: '110px',
  },
  {
    id: 'credits',
    label: 'Credits',
    cell: ({ credits }) => credits.toLocaleString(),
    optional: 'hidden',
    align: 'end',
    width: '80px',
  },
  {
    id: 'clicks',
    label: 'Clicks',
    cell: ({ clicks }) => clicks?.toLocaleString(),
    optional: 'hidden',
    align: 'end',
    width: '80px',
  },
  {
    id: 'accepted',
    label: 'Accepted',
    cell: ({ createdAt }) => <Time at={createdAt} as="short" />,
    width: 'minmax(120px, 0.9fr)',
    align: 'end',
  },
];

/** Status of a message; a pending one that is parked or may have arrived says so. */
export function MessageStatusBadge({
  status,
  parked,
  unconfirmed,
}: Pick<MessageSummary, 'status' | 'parked' | 'unconfirmed'>): ReactNode {
  if (parked) return <Status status={status} label="Parked" color="red" />;
  if (unconfirmed) return <Status status={status} label="Unconfirmed" color="yellow" />;
  return <Status status={status} />;
}
