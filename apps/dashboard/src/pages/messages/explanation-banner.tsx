import { Alert } from '@mantine/core';
import type { Message } from '@signalbox/client';
import { IconCircleCheck, IconClock, IconExclamationCircle } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { useMay, useSession } from '../../app/use-session.ts';
import { NoticeLink } from '../../parts/links.tsx';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { type Explanation, explain } from './explain.ts';
import { useWaitReasons } from './use-wait-reasons.ts';

const LOOKS = {
  good: { color: 'teal', icon: IconCircleCheck },
  waiting: { color: 'blue', icon: IconClock },
  bad: { color: 'red', icon: IconExclamationCircle },
} as const;

/** One sentence that answers why a message is, or is not, delivered. */
export function ExplanationBanner({ message }: { message: Message }): ReactNode {
  const explanation = explain(message, useNow(1_000));
  const reasons = useWaitReasons(message, explanation.next === 'queues');
  const { color, icon: Symbol } = LOOKS[explanation.tone];
  return (
    <Alert color={color} icon={<Symbol size={20} />} role="status" fz="md">
      <Sentence {...explanation} /> <NextStep next={explanation.next} recipient={message.recipient} />
      {reasons.map(({ to, name, text }) => (
        <div key={text}>
          <NoticeLink to={to} params={{ name }}>
            {text}
          </NoticeLink>
        </div>
      ))}
    </Alert>
  );
}

function Sentence({ text, at }: Explanation): ReactNode {
  return text.split('{time}').map((part, i) => (
    <Fragment key={part}>
      {i > 0 && at !== undefined && <Time at={at} as="full" />}
      {part}
    </Fragment>
  ));
}

function NextStep({ next, recipient }: { next: Explanation['next']; recipient: string }): ReactNode {
  const isOperator = useSession().scopes.includes('ops');
  const mayManage = useMay('manage');
  if (next === 'parked' && isOperator) return <NoticeLink to="/parked">See the parked rows</NoticeLink>;
  if (next === 'opt_outs' && mayManage)
    return (
      <NoticeLink to="/opt-outs" search={{ recipient }}>
        See the opt-out
      </NoticeLink>
    );
  if (next === 'senders') return <NoticeLink to="/senders">See the sender numbers</NoticeLink>;
  return null;
}
