import { Alert } from '@mantine/core';
import type { Message } from '@signalbox/client';
import { IconCircleCheck, IconClock, IconExclamationCircle } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { useSession } from '../../app/use-session.ts';
import { TextLink } from '../../parts/links.tsx';
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
          <TextLink inherit to={to} params={{ name }}>
            {text}
          </TextLink>
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
  if (next === 'parked' && isOperator)
    return (
      <TextLink inherit to="/parked">
        See the parked rows
      </TextLink>
    );
  if (next === 'opt_outs')
    return (
      <TextLink inherit to="/opt-outs" search={{ recipient }}>
        See the opt-out
      </TextLink>
    );
  if (next === 'senders')
    return (
      <TextLink inherit to="/senders">
        See the sender numbers
      </TextLink>
    );
  return null;
}
