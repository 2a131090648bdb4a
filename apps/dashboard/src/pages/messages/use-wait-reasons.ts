import { type Message, listGateways, listQueues } from '@signalbox/client';
import { useAnswer } from '../../api/use-answer.ts';
import { useSession } from '../../app/use-session.ts';

/** A reason for which messages wait, and its page. */
export interface WaitReason {
  to: '/queues/$name' | '/gateways/$name';
  name: string;
  text: string;
}

const TROUBLED = new Set(['down', 'closed']);

/** Finds reasons for which a message waits: its queue is paused, or a gateway of its channel is down. Only operators see them. */
export function useWaitReasons({ channel, type }: Message, isWaiting: boolean): readonly WaitReason[] {
  const enabled = useSession().scopes.includes('ops') && isWaiting;
  const queues = useAnswer(['overview', 'queues'], (signal) => listQueues({ signal }), {
    enabled,
    live: ['queue'],
  });
  const gateways = useAnswer(['overview', 'gateways'], (signal) => listGateways({ signal }), {
    enabled,
    live: [],
  });
  if (!enabled) return [];
  const own = channel === 'sms' ? [`sms-${type.toLowerCase()}`] : ['chatapp', 'chatapp-otp'];
  const paused = (queues.data ?? []).filter((queue) => queue.paused && own.includes(queue.name));
  const down = (gateways.data ?? []).filter(
    (gateway) => gateway.enabled && gateway.channel === channel && TROUBLED.has(gateway.state.status),
  );
  return [
    ...paused.map(({ name }) => ({ to: '/queues/$name' as const, name, text: `Queue ${name} is paused` })),
    ...down.map(({ name, state: { status, reason } }) => ({
      to: '/gateways/$name' as const,
      name,
      text: `Gateway ${name} is ${status}: ${reason}`,
    })),
  ];
}
