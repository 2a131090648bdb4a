import { Alert, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { type Send, cancelSend, getSend } from '@signalbox/client';
import { IconX } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { AsCurl } from '../../parts/as-curl.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { counted } from '../../parts/counted.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { typeName } from '../../parts/type-names.ts';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { SendState } from './columns.tsx';
import { SendProgress } from './send-progress.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/sends/$sendId');

/** One send: its progress, its facts, and its end. */
export function SendPage(): ReactNode {
  const { sendId } = route.useParams();
  const send = useAnswer(['sends', sendId], (signal) => getSend({ path: { sendId }, signal }), {
    live: ['message'],
  });
  if (send.error && !send.data)
    return (
      <Page title="Send">
        <ErrorState failure={send.error} onRetry={() => void send.refetch()} />
      </Page>
    );
  const title = send.data ? `Send from ${send.data.sender}` : 'Send';
  return (
    <Page
      title={title}
      status={send.data && <SendState state={send.data.state} />}
      lead={<Copyable text={sendId} label="send id" />}
      actions={send.data && <Actions send={send.data} />}
    >
      {send.data ? <Facts send={send.data} /> : <Skeleton height={240} aria-label="Loading" />}
    </Page>
  );
}

function Actions({ send }: { send: Send }): ReactNode {
  return (
    <>
      <AsCurl call={() => ({ path: `/v1/sends/${send.id}` })} />
      <CancelButton send={send} />
      <LinkButton to="/messages" search={{ submissionId: send.id }}>
        {WORDS.allMessages}
      </LinkButton>
    </>
  );
}

function CancelButton({ send }: { send: Send }): ReactNode {
  const maySend = useMay('send');
  const cancel = useAct(() => cancelSend({ path: { sendId: send.id } }), {
    changes: ['sends', 'messages'],
    done: ({ message }) => message,
  });
  const { Pending } = send.statuses;
  if (!maySend || Pending === 0) return null;
  return (
    <ConfirmButton
      leftSection={<IconX size={16} />}
      question={`Cancel ${counted(Pending, 'pending message')}?`}
      consequence={WORDS.cancelOneConsequence}
      verb={WORDS.cancelVerb}
      onConfirm={() => cancel.mutateAsync()}
    >
      {WORDS.cancel}
    </ConfirmButton>
  );
}

function Facts({ send }: { send: Send }): ReactNode {
  return (
    <Stack>
      <Notices send={send} />
      <Paper withBorder p="md">
        <Group mb="xs" justify="space-between">
          <Text fw={600}>{counted(send.totalCount, 'message')}</Text>
          {send.statuses.Failed > 0 && (
            <LinkButton
              variant="subtle"
              size="compact-sm"
              to="/messages"
              search={{ submissionId: send.id, status: 'Failed' }}
            >
              {`${WORDS.failed} (${send.statuses.Failed.toLocaleString()})`}
            </LinkButton>
          )}
        </Group>
        <SendProgress send={send} size="lg" />
      </Paper>
      <Paper withBorder p="md">
        <KeyValueRows facts={factsOf(send)} />
      </Paper>
    </Stack>
  );
}

/** The reasons for which messages of the send wait or never leave. */
function Notices({ send: { sendAt, state, held, heldUntil, cancelled } }: { send: Send }): ReactNode {
  return (
    <>
      {state === 'scheduled' && sendAt !== null && (
        <Alert color="blue" role="status">
          It is sent on <Time at={sendAt} as="full" />, <Time at={sendAt} />.
        </Alert>
      )}
      {held > 0 && heldUntil !== null && (
        <Alert color="yellow" role="status">
          {`Quiet hours hold ${counted(held, 'message')} until `}
          <Time at={heldUntil} as="full" />.
        </Alert>
      )}
      {cancelled > 0 && (
        <Alert color="gray">{`${counted(cancelled, 'message was', 'messages were')} cancelled.`}</Alert>
      )}
    </>
  );
}

function factsOf(send: Send): Fact[] {
  const time = (at: string | null): ReactNode => at && <Time at={at} as="full" />;
  return [
    [WORDS.channel, `${CHANNEL_NAMES[send.channel]} · ${typeName(send.type)}`],
    ['Template', send.templateName],
    [WORDS.campaign, send.campaignName],
    [WORDS.reference, send.clientRef],
    [WORDS.accepted, time(send.createdAt)],
    ['Scheduled for', time(send.sendAt)],
    ['Expires', time(send.expiresAt)],
    ['Messages per second', send.ratePerSecond?.toLocaleString()],
    ['Cancelled', time(send.cancelledAt)],
  ];
}
