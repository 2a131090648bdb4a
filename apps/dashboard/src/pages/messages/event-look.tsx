import {
  type Icon,
  IconArrowsSplit2,
  IconBellRinging,
  IconBellX,
  IconCalendarTime,
  IconCheck,
  IconClick,
  IconInbox,
  IconMessageReply,
  IconQuestionMark,
  IconRoute,
  IconSend,
  IconX,
} from '@tabler/icons-react';
import type { TimelineEvent } from '@signalbox/client';
import type { ReactNode } from 'react';
import { counted } from '../../parts/counted.ts';

/** Title, colour and symbol of an event. */
interface EventLook {
  title: ReactNode;
  color: string;
  icon: Icon;
}

type Describe = (event: TimelineEvent) => EventLook;

const LOOKS: Record<string, Describe> = {
  accepted: () => ({ title: 'Accepted', color: 'gray', icon: IconInbox }),
  scheduled: () => ({ title: 'Scheduled', color: 'gray', icon: IconCalendarTime }),
  sent: () => ({ title: 'Taken by a gateway', color: 'blue', icon: IconSend }),
  routed: ({ gateway }) => ({ title: `Routed to ${gateway}`, color: 'blue', icon: IconRoute }),
  failed_over: ({ gateway }) => ({
    title: `${gateway} could not take it`,
    color: 'orange',
    icon: IconArrowsSplit2,
  }),
  unconfirmed: ({ gateway }) => ({
    title: `${gateway} did not respond`,
    color: 'yellow',
    icon: IconQuestionMark,
  }),
  report: ({ status, gateway }) => {
    const title = `${gateway === undefined ? 'Reported' : `${gateway} reported`}: ${(status ?? '').toLowerCase()}`;
    return status === 'Failed'
      ? { title, color: 'red', icon: IconX }
      : { title, color: 'teal', icon: IconCheck };
  },
  push_attempt: ({ webhookName, attempts, responseStatus, durationMs }) => ({
    title: (
      <>
        Push {attempts} to <bdi>{webhookName}</bdi> failed{result(responseStatus, durationMs)}
      </>
    ),
    color: 'orange',
    icon: IconBellX,
  }),
  push_delivered: ({ webhookName, responseStatus, durationMs }) => ({
    title: (
      <>
        Pushed to <bdi>{webhookName}</bdi>
        {result(responseStatus, durationMs)}
      </>
    ),
    color: 'teal',
    icon: IconBellRinging,
  }),
  push_waiting: ({ webhookName }) => ({
    title: (
      <>
        A push to <bdi>{webhookName}</bdi> waits
      </>
    ),
    color: 'gray',
    icon: IconBellRinging,
  }),
  push_exhausted: ({ webhookName }) => ({
    title: (
      <>
        Pushes to <bdi>{webhookName}</bdi> were given up
      </>
    ),
    color: 'red',
    icon: IconBellX,
  }),
  clicked: ({ by, clicks }) => ({
    title: `${counted(clicks ?? 0, 'click')} by ${BY[by ?? ''] ?? by}`,
    color: 'grape',
    icon: IconClick,
  }),
  inbound: ({ isAnswer }) => ({
    title: isAnswer ? 'The recipient replied to it' : 'The recipient wrote',
    color: 'grape',
    icon: IconMessageReply,
  }),
};

const BY: Record<string, string> = { person: 'people', bot: 'programs', prefetch: 'previews' };

/** Describes an event of a timeline. */
export function eventLook(event: TimelineEvent): EventLook {
  const describe = LOOKS[event.event];
  return describe ? describe(event) : { title: event.event, color: 'gray', icon: IconInbox };
}

function result(status: number | undefined, durationMs: number | undefined): string {
  const parts = [
    status,
    durationMs === undefined ? undefined : `${Math.round(durationMs).toLocaleString()} ms`,
  ];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? '' : `: ${known.join(', ')}`;
}
