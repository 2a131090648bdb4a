import { chatTemplateList, countParked, listGateways, listWebhookHealth } from '@signalbox/client';
import { useAnswer } from '../../api/use-answer.ts';
import { useSession } from '../../app/use-session.ts';
import { counted } from '../../parts/counted.ts';

/** Something that a person should look at, and the page to do so. */
export interface Concern {
  text: string;
  path: string;
}

const TROUBLED = new Set(['down', 'closed']);
const SLOW = 30_000;

/** Collects what needs a person, as far as the session may see it; undefined until it is known. */
export function useConcerns(): readonly Concern[] | undefined {
  const { scopes } = useSession();
  const may = (scope: (typeof scopes)[number]) => ({
    enabled: scopes.includes(scope),
    refetchInterval: SLOW,
  });
  const parked = useAnswer(['overview', 'parked'], (signal) => countParked({ signal }), may('ops'));
  const gateways = useAnswer(['overview', 'gateways'], (signal) => listGateways({ signal }), may('ops'));
  const health = useAnswer(
    ['overview', 'webhooks'],
    (signal) => listWebhookHealth({ signal }),
    may('webhooks'),
  );
  const templates = useAnswer(
    ['overview', 'templates'],
    (signal) => chatTemplateList({ query: { status: 'Rejected' }, signal }),
    may('templates'),
  );
  const all = [parked, gateways, health, templates];
  if (all.some(({ isLoading, data, error }) => isLoading || (error && !data))) return undefined;
  const parkedRows = Object.values(parked.data ?? {}).reduce((sum, rows) => sum + rows, 0);
  const down = (gateways.data ?? []).filter(({ enabled, state }) => enabled && TROUBLED.has(state.status));
  const open = (health.data ?? []).filter(({ breaker }) => breaker === 'open').length;
  const rejected = templates.data?.length ?? 0;
  return [
    ...(parkedRows > 0 ? [{ text: counted(parkedRows, 'parked row'), path: '/parked' }] : []),
    ...down.map(({ name, state }) => ({
      text: `Gateway ${name} is ${state.status}: ${state.reason}`,
      path: '/gateways',
    })),
    ...(open > 0
      ? [
          {
            text: `${counted(open, 'push endpoint fails', 'push endpoints fail')}: pushes wait until ${open === 1 ? 'it answers' : 'they answer'}`,
            path: '/webhooks',
          },
        ]
      : []),
    ...(rejected > 0
      ? [
          {
            text: counted(rejected, 'rejected template'),
            path: '/templates?status=Rejected',
          },
        ]
      : []),
  ];
}
