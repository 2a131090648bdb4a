import {
  chatTemplateList,
  countParked,
  listGateways,
  listQueues,
  listWebhookHealth,
} from '@signalbox/client';
import type { LinkProps } from '@tanstack/react-router';
import type { LiveKind } from '../../api/live.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { Scope } from '../../app/session.ts';
import { useSession } from '../../app/use-session.ts';
import { counted } from '../../parts/counted.ts';

/** Something that a person should look at, and the page to do so. */
export interface Concern extends Pick<LinkProps, 'to' | 'search'> {
  text: string;
}

/** Concerns of one kind, as far as they are known. */
interface Known {
  /** False until the answer, or its failure, has arrived. */
  isKnown: boolean;
  concerns: readonly Concern[];
}

const TROUBLED = new Set(['down', 'closed']);

/** Collects what needs a person, as far as the session may see it; undefined until it is known. */
export function useConcerns(): readonly Concern[] | undefined {
  const all = [usePausedQueues(), useParkedRows(), useGateways(), useEndpoints(), useRejectedTemplates()];
  return all.every(({ isKnown }) => isKnown) ? all.flatMap(({ concerns }) => concerns) : undefined;
}

/** A pause that was forgotten holds messages back until they expire. */
function usePausedQueues(): Known {
  const { data = [], isLoading } = useAnswer(
    ['overview', 'queues'],
    (signal) => listQueues({ signal }),
    useOptions('ops', 'queue'),
  );
  const concerns = data
    .filter(({ paused }) => paused)
    .map(({ name }) => ({ text: `Queue ${name} is paused: what it holds waits`, to: '/queues' as const }));
  return known(isLoading, ...concerns);
}

function useParkedRows(): Known {
  const { data, isLoading } = useAnswer(
    ['overview', 'parked'],
    (signal) => countParked({ signal }),
    useOptions('ops', 'parked'),
  );
  const rows = Object.values(data ?? {}).reduce((sum, count) => sum + count, 0);
  return known(isLoading, rows > 0 && { text: counted(rows, 'parked row'), to: '/parked' });
}

function useGateways(): Known {
  const { data = [], isLoading } = useAnswer(
    ['overview', 'gateways'],
    (signal) => listGateways({ signal }),
    useOptions('ops'),
  );
  const down = data.filter(({ enabled, state }) => enabled && TROUBLED.has(state.status));
  const concerns = down.map(({ name, state: { status, reason } }) => ({
    text: `Gateway ${name} is ${status}: ${reason}`,
    to: '/gateways' as const,
  }));
  return known(isLoading, ...concerns);
}

function useEndpoints(): Known {
  const { data = [], isLoading } = useAnswer(
    ['overview', 'webhooks'],
    (signal) => listWebhookHealth({ signal }),
    useOptions('webhooks', 'endpoint'),
  );
  const open = data.filter(({ breaker }) => breaker === 'open').length;
  const failing = counted(open, 'push endpoint fails', 'push endpoints fail');
  const text = `${failing}: pushes wait until ${open === 1 ? 'it answers' : 'they answer'}`;
  return known(isLoading, open > 0 && { text, to: '/webhooks' });
}

function useRejectedTemplates(): Known {
  const status = 'Rejected' as const;
  const { data = [], isLoading } = useAnswer(
    ['overview', 'templates'],
    (signal) => chatTemplateList({ query: { status }, signal }),
    useOptions('templates', 'template'),
  );
  const { length } = data;
  return known(
    isLoading,
    length > 0 && { text: counted(length, 'rejected template'), to: '/templates', search: { status } },
  );
}

/** Read for those who have the scope: after events of a kind, and every half minute. Gateways have one each second. */
function useOptions(scope: Scope, ...live: LiveKind[]) {
  return { enabled: useSession().scopes.includes(scope), live };
}

function known(isLoading: boolean, ...concerns: (Concern | false)[]): Known {
  return { isKnown: !isLoading, concerns: concerns.filter((concern) => concern !== false) };
}
