import { type WorkerCount, missingWorkers } from '@signalbox/domain/worker-kinds';
import { callApi } from './call-api.ts';
import { type Command, UsageError } from './command.ts';

interface Message {
  status: string;
  errCode: string | null;
  statusDescription: string | null;
  recipient: string;
  channel: string;
  type: string;
  gateway: string | null;
  unconfirmed: boolean;
  parked: boolean;
  heldUntil: string | null;
  sendAt: string | null;
  /** Absent in an answer of an earlier version. */
  waitsFor?: string | null;
  timeline: ({ at: string; event: string } & Record<string, unknown>)[];
}

type Waiting = Pick<
  Message,
  'heldUntil' | 'sendAt' | 'unconfirmed' | 'parked' | 'waitsFor' | 'recipient' | 'type' | 'channel'
>;

const EXAMPLE = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1';

interface Backlog {
  lane: string;
  ready: number;
  scheduled: number;
  paced: number;
  held: number;
}

interface Lanes {
  waitingMessages: { lane: string; messages: number }[];
  openMessages: { gateway: string; messages: number }[];
  backlogs: Backlog[];
  /** Absent in an answer of an earlier version. */
  waitingPushes?: { pushes: number; uncalled: number; nextAttemptAt: string | null };
}

/** A page of accounts. */
interface LanesPage extends Lanes {
  /** Position of the next page; null at the end. */
  moreAccounts: string | null;
}

interface Gateway {
  name: string;
  state: { status: string; reason: string };
}

export const status: Command = {
  forms: ['<message id>', ''],
  details:
    'Without an id it names gateways and missing workers, counts pending sends, messages and pushes, and needs a key with the scope ops. Uses the API of SIGNALBOX_URL and the key of SIGNALBOX_API_KEY.',
  async run([id, ...rest]) {
    if (id === undefined) return installation();
    if (rest.length > 0) throw new UsageError('Name one message by its id.');
    if (!/:\d+$/.test(id))
      throw new UsageError(
        `${id} is no message id: that is the id of a send with the number of the recipient, as ${EXAMPLE}.`,
      );
    const { data } = await callApi<{ data: Message }>(`/v1/messages/${encodeURIComponent(id)}`);
    return [headOf(data), ...data.timeline.map(lineOf)].join('\n');
  },
};

/** Describes the gateways, names the workers that do not run, and counts the backlog by lane. */
async function installation(): Promise<string> {
  const { data: gateways } = await callApi<{ data: Gateway[] }>('/v1/gateways');
  const { data: system } = await callApi<{ data: { workers: WorkerCount[] } }>('/v1/system');
  const waits = waitsOf(await readLanes());
  return [
    ...gateways.map(({ name, state }) => `${name}  ${state.status}: ${state.reason}`),
    ...(gateways.length === 0 ? ['The simulator serves: there is no gateway.'] : []),
    ...missingWorkers(system.workers).map((text) => `${text}.`),
    ...(waits.length === 0 ? ['Nothing waits.'] : waits),
  ].join('\n');
}

/** Reads the backlogs of all accounts. The API answers for 100 of them at a time. */
async function readLanes(): Promise<Lanes> {
  const { data: lanes } = await callApi<{ data: LanesPage }>('/v1/lanes');
  for (let after = lanes.moreAccounts; after !== null; ) {
    const { data: page } = await callApi<{ data: LanesPage }>(`/v1/lanes?after=${after}`);
    lanes.backlogs.push(...page.backlogs);
    after = page.moreAccounts;
  }
  return lanes;
}

/** Counts pending sends, messages and pushes, in the order in which a message passes them. */
export function waitsOf(lanes: Lanes): string[] {
  return [...sendsOf(lanes), ...waitingOf(lanes), ...openOf(lanes), ...pushesOf(lanes)];
}

const SEND_STATES = ['ready', 'scheduled', 'paced', 'held'] as const;

function sendsOf({ backlogs }: Lanes): string[] {
  return Array.from(
    Map.groupBy(backlogs, ({ lane }) => lane),
    ([lane, list]) => {
      const counts = SEND_STATES.flatMap((state) => {
        const count = list.reduce((sum, backlog) => sum + backlog[state], 0);
        return count > 0 ? [`${count} ${state}`] : [];
      });
      return `${lane}  sends: ${counts.join(', ')}`;
    },
  );
}

function waitingOf({ waitingMessages }: Lanes): string[] {
  return waitingMessages.map(
    ({ lane, messages }) => `${lane}  messages that no gateway has taken so far: ${messages}`,
  );
}

function openOf({ openMessages }: Lanes): string[] {
  return openMessages.map(
    ({ gateway, messages }) => `${gateway}  messages without a final report: ${messages}`,
  );
}

function pushesOf({ waitingPushes }: Lanes): string[] {
  if (!waitingPushes || waitingPushes.pushes === 0) return [];
  const { pushes, uncalled, nextAttemptAt } = waitingPushes;
  const called = pushes - uncalled;
  return [
    ...(called > 0
      ? [`pushes that wait for their next call: ${called}, the first due at ${nextAttemptAt}`]
      : []),
    ...(uncalled > 0
      ? [`pushes of webhooks that are disabled, or whose pushes a program pulls: ${uncalled}`]
      : []),
  ];
}

function headOf(message: Message): string {
  const { status: state, errCode, statusDescription, recipient, channel, gateway } = message;
  const reason = statusDescription ? `: ${statusDescription} (errCode ${errCode})` : '';
  const wait = state === 'Pending' ? `${waitOf(message)}\n` : '';
  return `${state}${reason}\n${channel} to ${recipient}${gateway ? ` through ${gateway}` : ''}\n${wait}`;
}

/** Says what a pending message waits for, in the order of docs/troubleshooting.md. */
export function waitOf(message: Waiting): string {
  const { heldUntil, sendAt, unconfirmed, parked, waitsFor, recipient, type, channel } = message;
  if (heldUntil) return `It is held until ${heldUntil}.`;
  if (sendAt && Date.parse(sendAt) > Date.now()) return `It is scheduled for ${sendAt}.`;
  if (parked) return 'Ten tries failed, or ended their worker: an operator frees or discards it.';
  if (unconfirmed)
    return 'The gateway did not answer its submit, so it is not sent again: its report settles it.';
  if (waitsFor) return waitsFor;
  const route = `recipient=${recipient}&channel=${channel}${channel === 'sms' ? `&type=${type}` : ''}`;
  return `No gateway has taken it so far. The command doctor names gateways and workers in trouble; GET /v1/routes/explain?${route} explains its route.`;
}

/** Shows the members of an event that are single values. */
function lineOf({ at, event, ...rest }: Message['timeline'][number]): string {
  const members = Object.entries(rest).filter(([, value]) => value !== null && typeof value !== 'object');
  return [at, event, ...members.map(([name, value]) => `${name}=${String(value)}`)].join('  ');
}
