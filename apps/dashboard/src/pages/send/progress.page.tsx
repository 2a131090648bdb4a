import { Alert, Button, Card, Group, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type Send, cancelSms, getSms } from '@signalbox/client';
import { IconX } from '@tabler/icons-react';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { AsCurl } from '../../parts/as-curl.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/send/$sendId');
const CRUMBS = [{ label: 'Message app' }, { label: WORDS.title, to: '/send' }] as const;
const COLORS = { Read: 'teal.8', Delivered: 'teal', Sent: 'blue', Failed: 'red', Pending: 'gray.5' } as const;

/** The progress of a send, and the button that cancels its pending messages. */
export function ProgressPage(): ReactNode {
  const { sendId } = route.useParams();
  const { data, error, refetch } = useAnswer(
    ['sends', 'one', sendId],
    (signal) => getSms({ path: { submissionId: sendId }, signal }),
    { live: ['message'] },
  );
  return (
    <Page
      title={WORDS.progress}
      lead={<Copyable text={sendId} label="send id" />}
      crumbs={CRUMBS}
      actions={
        <>
          <AsCurl call={{ path: `/v1/sms/${sendId}` }} />
          <Button
            renderRoot={(props) => <Link {...props} to="/messages" search={{ submissionId: sendId }} />}
          >
            {WORDS.messages}
          </Button>
        </>
      }
    >
      {error && !data && <ErrorState failure={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton height={180} aria-label="Loading" />}
      {data && <SendProgress send={data} />}
    </Page>
  );
}

function SendProgress({ send }: { send: Send }): ReactNode {
  const { statuses, totalCount, held, heldUntil, sendAt, cancelled } = send;
  const isScheduled = sendAt !== null && Date.parse(sendAt) > Date.now() && statuses.Pending > 0;
  return (
    <Stack>
      {isScheduled && (
        <Alert color="blue" role="status">
          It is sent at <Time at={sendAt} as="full" />, <Time at={sendAt} />.
        </Alert>
      )}
      {held > 0 && heldUntil !== null && (
        <Alert color="yellow" role="status">
          {`Quiet hours hold ${held.toLocaleString()} messages until `}
          <Time at={heldUntil} as="full" />.
        </Alert>
      )}
      {cancelled > 0 && (
        <Alert color="gray">{`${cancelled.toLocaleString()} messages were cancelled.`}</Alert>
      )}
      <Card>
        <Group justify="space-between" mb="sm">
          <Title order={2}>{`${totalCount.toLocaleString()} messages`}</Title>
          <Cancel send={send} />
        </Group>
        <Bar statuses={statuses} total={totalCount} />
      </Card>
      <Card>
        <KeyValueRows facts={factsOf(send)} />
      </Card>
    </Stack>
  );
}

function Bar({ statuses, total }: { statuses: Send['statuses']; total: number }): ReactNode {
  const names = Object.keys(COLORS) as (keyof typeof COLORS)[];
  return (
    <>
      <Progress.Root size={18} aria-label={WORDS.progress}>
        {names.map((name) => (
          <Progress.Section
            key={name}
            value={(statuses[name] / total) * 100}
            color={COLORS[name]}
            aria-label={name}
          />
        ))}
      </Progress.Root>
      <Group gap="lg" mt="sm">
        {names.map((name) => (
          <Text key={name} size="sm" data-status={name}>
            {`${name} ${statuses[name].toLocaleString()}`}
          </Text>
        ))}
      </Group>
    </>
  );
}

function Cancel({ send }: { send: Send }): ReactNode {
  const maySend = useMay('send');
  const { id, statuses } = send;
  const cancel = useAct<{ message: string }>(() => cancelSms({ path: { submissionId: id } }), {
    changes: ['sends', 'messages'],
    done: ({ message }) => message,
  });
  if (!maySend || statuses.Pending === 0) return null;
  const count = statuses.Pending.toLocaleString();
  return (
    <ConfirmButton
      leftSection={<IconX size={16} />}
      question={`Cancel ${count} pending ${statuses.Pending === 1 ? 'message' : 'messages'}?`}
      consequence="They fail with errCode 902, and your webhooks get their reports. This cannot be undone."
      verb={`Cancel ${count}`}
      onConfirm={() => cancel.mutateAsync()}
    >
      {WORDS.cancel}
    </ConfirmButton>
  );
}

function factsOf(send: Send): Fact[] {
  const time = (at: string | null): ReactNode => (at === null ? null : <Time at={at} as="full" />);
  return [
    ['Sender', send.sender],
    ['Type', send.type],
    ['Campaign', send.campaignName],
    ['Reference', send.clientRef],
    ['Accepted', time(send.createdAt)],
    ['Scheduled for', time(send.sendAt)],
    ['Expires', time(send.expiresAt)],
    ['Messages per second', send.ratePerSecond?.toLocaleString()],
    ['Cancelled', time(send.cancelledAt)],
  ];
}
