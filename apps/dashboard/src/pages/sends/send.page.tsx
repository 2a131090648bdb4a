import { Alert, Button, Group, Paper, Skeleton, Stack } from '@mantine/core';
import { type Send, cancelSend, getSend } from '@signalbox/client';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { AsCurl } from '../../parts/as-curl.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { KeyValueRows } from '../../parts/key-value-rows.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { SendState } from './columns.tsx';
import { SendProgress } from './send-progress.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/sends/$sendId');

const CRUMBS = [{ label: WORDS.title, to: '/sends' }] as const;

/** One send: its progress, its facts, and its end. */
export function SendPage(): ReactNode {
  const { sendId } = route.useParams();
  const send = useAnswer(['sends', sendId], (signal) => getSend({ path: { sendId }, signal }), {
    live: ['message'],
  });
  if (send.error && !send.data)
    return (
      <Page title="Send" crumbs={CRUMBS}>
        <ErrorState failure={send.error} onRetry={() => void send.refetch()} />
      </Page>
    );
  return (
    <Page
      title={send.data?.campaignName ?? 'Send'}
      crumbs={CRUMBS}
      actions={send.data && <Actions send={send.data} />}
    >
      {send.data ? <Facts send={send.data} /> : <Skeleton height={240} />}
    </Page>
  );
}

function Actions({ send }: { send: Send }): ReactNode {
  const maySend = useMay('send');
  const cancel = useAct(() => cancelSend({ path: { sendId: send.id } }), {
    changes: ['sends', 'messages'],
    done: ({ message }) => message,
  });
  const { Pending } = send.statuses;
  return (
    <>
      <AsCurl call={{ path: `/v1/sends/${send.id}` }} />
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/messages" search={{ submissionId: send.id }} />}
      >
        {WORDS.allMessages}
      </Button>
      {maySend && Pending > 0 && (
        <ConfirmButton
          color="red"
          question={`Cancel ${Pending.toLocaleString()} pending messages?`}
          consequence={WORDS.cancelConsequence}
          verb={WORDS.cancelVerb}
          onConfirm={() => cancel.mutateAsync()}
        >
          {WORDS.cancel}
        </ConfirmButton>
      )}
    </>
  );
}

function Facts({ send }: { send: Send }): ReactNode {
  return (
    <Stack>
      <Waiting send={send} />
      <Paper withBorder p="md">
        <Group mb="xs">
          <SendState state={send.state} />
          <b>{`${send.totalCount.toLocaleString()} messages`}</b>
        </Group>
        <SendProgress send={send} size="lg" />
      </Paper>
      <Paper withBorder p="md">
        <KeyValueRows facts={factsOf(send)} />
      </Paper>
      {send.statuses.Failed > 0 && (
        <Group>
          <Button
            variant="subtle"
            renderRoot={(props) => (
              <Link {...props} to="/messages" search={{ submissionId: send.id, status: 'Failed' }} />
            )}
          >
            {`${WORDS.failed} (${send.statuses.Failed.toLocaleString()})`}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** The reason why messages of a send are not sent yet. */
function Waiting({ send: { state, sendAt, held, heldUntil } }: { send: Send }): ReactNode {
  if (state === 'scheduled' && sendAt !== null)
    return (
      <Alert color="blue" role="status">
        It is sent at <Time at={sendAt} as="full" />, <Time at={sendAt} />.
      </Alert>
    );
  if (held === 0 || heldUntil === null) return null;
  return (
    <Alert color="yellow" role="status">
      {`Quiet hours hold ${held.toLocaleString()} messages until `}
      <Time at={heldUntil} as="full" />.
    </Alert>
  );
}

function factsOf(send: Send): (readonly [string, ReactNode])[] {
  const time = (at: string | null): ReactNode => at && <Time at={at} as="full" />;
  return [
    ['Id', <Copyable key="id" text={send.id} />],
    [WORDS.channel, `${WORDS[send.channel]} · ${send.type}`],
    [WORDS.sender, send.sender],
    ['Template', send.templateName],
    [WORDS.campaign, send.campaignName],
    [WORDS.reference, send.clientRef],
    [WORDS.accepted, time(send.createdAt)],
    ['Scheduled for', time(send.sendAt)],
    ['Expires', time(send.expiresAt)],
    ['Messages per second', send.ratePerSecond],
    ['Cancelled', time(send.cancelledAt)],
    ['Cancelled messages', send.cancelled > 0 ? send.cancelled.toLocaleString() : null],
  ];
}
