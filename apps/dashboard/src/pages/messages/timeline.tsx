import { Anchor, Box, Code, Text, Timeline as Events } from '@mantine/core';
import type { Message, TimelineEvent } from '@signalbox/client';
import type { ReactNode } from 'react';
import { duration } from '../../parts/duration.ts';
import { Time } from '../../parts/time.tsx';
import { reasonText } from '../webhooks/reasons.ts';
import { eventLook } from './event-look.tsx';
import { PushCalls } from './push-calls.tsx';

/** Everything that happened to a message, oldest first, and pending pushes after it. */
export function Timeline({ message }: { message: Message }): ReactNode {
  const timeline = message.timeline.toSorted((a, b) => Number(isPending(a)) - Number(isPending(b)));
  return (
    <Events bulletSize={26} lineWidth={2} active={timeline.length}>
      {timeline.map((event, i) => {
        const { title, color, icon: Symbol } = eventLook(event);
        return (
          <Events.Item
            key={isStateOfPush(event) ? event.deliveryId : `${event.at} ${event.event} ${i}`}
            bullet={<Symbol size={14} />}
            color={color}
            title={title}
          >
            <When event={event} before={timeline[i - 1]} />
            <Detail event={event} />
          </Events.Item>
        );
      })}
    </Events>
  );
}

/** Such an event has the time at which the push began to wait, which is before its failed calls. */
function isPending({ event }: TimelineEvent): boolean {
  return event === 'push_waiting';
}

/** The one event that has the state of a push. Its key keeps its calls open while further events appear before it. */
function isStateOfPush({ event, deliveryId }: TimelineEvent): boolean {
  return deliveryId !== undefined && event !== 'push_attempt';
}

function When({ event, before }: { event: TimelineEvent; before: TimelineEvent | undefined }): ReactNode {
  const seconds = before ? (Date.parse(event.at) - Date.parse(before.at)) / 1000 : 0;
  return (
    <Text size="sm" c="dimmed" component="div">
      <Time at={event.at} as="full" />
      {seconds >= 0.05 && ` · ${duration(seconds)} later`}
    </Text>
  );
}

function Detail({ event }: { event: TimelineEvent }): ReactNode {
  const { reason, description, errCode, gatewayCode, details, until, url, link } = event;
  return (
    <Box fz="sm">
      {until !== undefined && (
        <Text size="sm" component="div">
          Until <Time at={until} as="full" />
        </Text>
      )}
      {reason !== undefined && <Text size="sm">{reasonText(reason)}</Text>}
      {(description !== undefined || errCode !== undefined) && (
        <Text size="sm">
          {[description && reasonText(description), codesOf(errCode, gatewayCode)]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      )}
      {url !== undefined && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {`Link ${link}: `}
          <Anchor href={url} target="_blank" rel="noreferrer noopener" inherit>
            {url}
          </Anchor>
        </Text>
      )}
      {details !== undefined && (
        <Code block mt={4} style={{ whiteSpace: 'pre-wrap' }}>
          {JSON.stringify(details, null, 2)}
        </Code>
      )}
      {isStateOfPush(event) && <PushCalls event={event} />}
    </Box>
  );
}

function codesOf(errCode: string | undefined, gatewayCode: string | undefined): string {
  if (errCode === undefined || errCode === '000') return '';
  return gatewayCode === undefined ? `errCode ${errCode}` : `errCode ${errCode}, gateway code ${gatewayCode}`;
}
