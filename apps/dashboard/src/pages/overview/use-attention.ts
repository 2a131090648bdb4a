import {
  type System,
  chatTemplateList,
  countParked,
  getSystem,
  listGateways,
  listQueues,
  listWebhookHealth,
} from '@signalbox/client';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { missingWorkers } from '@signalbox/domain/worker-kinds';
import type { UseQueryResult } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { LiveKind } from '../../api/live.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { Scope } from '../../app/session.ts';
import { useSession } from '../../app/use-session.ts';
import { counted, upTo } from '../../parts/counted.ts';

/** Something that a person should look at, and the page to do so. */
interface Concern extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  text: string;
}

/** Concerns of one kind, as far as they are known. */
interface Known {
  /** False until the answer, or its failure, has arrived. */
  isKnown: boolean;
  /** True where there is a failure and no answer. */
  isMissing: boolean;
  concerns: readonly Concern[];
}

/** All concerns. */
interface Concerns {
  concerns: readonly Concern[];
  /** True when some could not be read. */
  isPartial: boolean;
}

/** Rejected templates are counted up to this number, that of a page. */
const LISTED = 50;

const TROUBLED = new Set(['down', 'closed']);

/** Collects what needs a person, as far as the session may see it; undefined until it is known. */
export function useConcerns(): Concerns | undefined {
  const all = [
    useSystem(),
    usePausedQueues(),
    useParkedRows(),
    useGateways(),
    useEndpoints(),
    useRejectedTemplates(),
  ];
  if (!all.every(({ isKnown }) => isKnown)) return undefined;
  return {
    concerns: all.flatMap(({ concerns }) => concerns),
    isPartial: all.some(({ isMissing }) => isMissing),
  };
}

/** Workers that do not run, a server of queues in trouble, a schema that is behind. The page System shows them in full. */
function useSystem(): Known {
  const answer = useAnswer(['system'], (signal) => getSystem({ signal }), useOptions('ops', 'worker'));
  const texts = answer.data ? systemConcerns(answer.data) : [];
  return known(answer, ...texts.map((text) => ({ text, to: '/system' as const })));
}

function systemConcerns({ workers, queues, migrations: { pending } }: System): string[] {
  const migrations = counted(pending.length, 'migration is', 'migrations are');
  return [
    ...missingWorkers(workers),
    ...(queues.isReachable ? [] : ['The queues cannot be reached: work goes on slowly']),
    ...(queues.mayEvict ? ['Redis may drop jobs: set maxmemory-policy noeviction'] : []),
    ...(pending.length > 0 ? [`${migrations} pending: run the command migrate`] : []),
  ];
}

/** A pause that was forgotten holds messages back until they expire. */
function usePausedQueues(): Known {
  const answer = useAnswer(
    ['overview', 'queues'],
    (signal) => listQueues({ signal }),
    useOptions('ops', 'queue'),
  );
  const concerns = (answer.data ?? [])
    .filter(({ paused }) => paused)
    .map(({ name }) => ({
      text: `Queue ${name} is paused: what it holds waits`,
      to: '/queues/$name' as const,
      params: { name },
    }));
  return known(answer, ...concerns);
}

function useParkedRows(): Known {
  const answer = useAnswer(
    ['overview', 'parked'],
    (signal) => countParked({ signal }),
    useOptions('ops', 'parked'),
  );
  const counts = Object.values(answer.data ?? {});
  const rows = counts.reduce((sum, count) => sum + count, 0);
  // a kind that is counted to its limit may have more
  const text = counts.some((count) => count >= COUNTED_ROWS)
    ? `${upTo(rows, COUNTED_ROWS)} parked rows`
    : counted(rows, 'parked row');
  return known(answer, rows > 0 && { text, to: '/parked' });
}

function useGateways(): Known {
  const answer = useAnswer(['overview', 'gateways'], (signal) => listGateways({ signal }), useOptions('ops'));
  const down = (answer.data ?? []).filter(({ enabled, state }) => enabled && TROUBLED.has(state.status));
  const concerns = down.map(({ name, state: { status, reason } }) => ({
    text: `Gateway ${name} is ${status}: ${reason}`,
    to: '/gateways/$name' as const,
    params: { name },
  }));
  return known(answer, ...concerns);
}

function useEndpoints(): Known {
  const answer = useAnswer(
    ['overview', 'webhooks'],
    (signal) => listWebhookHealth({ signal }),
    useOptions('webhooks', 'endpoint'),
  );
  const open = (answer.data ?? []).filter(({ breaker }) => breaker === 'open').length;
  const failing = counted(open, 'push endpoint fails', 'push endpoints fail');
  const text = `${failing}: pushes wait until ${open === 1 ? 'it responds' : 'they respond'}`;
  return known(answer, open > 0 && { text, to: '/webhooks' });
}

function useRejectedTemplates(): Known {
  const status = 'Rejected' as const;
  const answer = useAnswer(
    ['overview', 'templates'],
    (signal) => chatTemplateList({ query: { status, limit: LISTED }, signal }),
    useOptions('templates', 'template'),
  );
  const length = answer.data?.length ?? 0;
  return known(
    answer,
    length > 0 && {
      text:
        length < LISTED ? counted(length, 'rejected template') : `${upTo(length, LISTED)} rejected templates`,
      to: '/templates',
      search: { status },
    },
  );
}

/** Read for those who have the scope: after events of a kind, and every half minute. Gateways have one each second. */
function useOptions(scope: Scope, ...live: LiveKind[]) {
  return { enabled: useSession().scopes.includes(scope), live };
}

function known({ data, error, isLoading }: UseQueryResult, ...concerns: (Concern | false)[]): Known {
  return {
    isKnown: !isLoading,
    isMissing: error !== null && data === undefined,
    concerns: concerns.filter((concern) => concern !== false),
  };
}
