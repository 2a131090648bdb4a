import type { Send } from '@signalbox/client';
import type { Column } from '../../parts/data-list-columns.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { shortTypeName } from '../../parts/type-names.ts';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { SendProgress } from './send-progress.tsx';
import { STATES, WORDS } from './words.ts';

const COLORS = { scheduled: 'gray', sending: 'blue', cancelled: 'gray', done: 'teal' } as const;

/** State of a send as a badge. */
export function SendState({ state }: Pick<Send, 'state'>) {
  return <Status status={state} label={STATES[state]} color={COLORS[state]} />;
}

/** Columns of the list of sends. */
export const COLUMNS: readonly Column<Send>[] = [
  {
    id: 'accepted',
    label: WORDS.accepted,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    width: 'minmax(96px, 0.6fr)',
  },
  { id: 'state', label: WORDS.state, cell: (send) => <SendState {...send} />, width: '96px' },
  { id: 'sender', label: WORDS.sender, cell: ({ sender }) => sender, width: 'minmax(100px, 0.7fr)' },
  {
    id: 'channel',
    label: WORDS.channel,
    cell: ({ channel, type }) => `${CHANNEL_NAMES[channel]} · ${shortTypeName(type)}`,
    optional: 'shown',
    width: 'minmax(150px, 1fr)',
  },
  {
    id: 'campaign',
    label: WORDS.campaign,
    cell: ({ campaignName, templateName }) => campaignName ?? templateName,
    optional: 'shown',
    width: 'minmax(110px, 1fr)',
  },
  { id: 'reference', label: WORDS.reference, cell: ({ clientRef }) => clientRef, optional: 'hidden' },
  {
    id: 'messages',
    label: WORDS.messages,
    cell: ({ totalCount }) => totalCount.toLocaleString(),
    width: '90px',
    align: 'end',
  },
  {
    id: 'progress',
    label: WORDS.progress,
    cell: (send) => <SendProgress send={send} />,
    width: 'minmax(200px, 1.8fr)',
  },
];
