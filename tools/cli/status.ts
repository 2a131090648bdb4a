import { callApi } from './call-api.ts';
import { type Command, UsageError } from './command.ts';

interface Message {
  status: string;
  errCode: string | null;
  statusDescription: string | null;
  recipient: string;
  channel: string;
  gateway: string | null;
  timeline: ({ at: string; event: string } & Record<string, unknown>)[];
}

const EXAMPLE = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1';

interface Lanes {
  waitingMessages: { lane: string; messages: number }[];
  backlogs: { lane: string; ready: number }[];
}

interface Gateway {
  name: string;
  state: { status: string; reason: string };
}

export const status: Command = {
  forms: ['<message id>', ''],
  details:
    'Shows a message, or the gateways and what waits; that needs a key with the scope ops. Uses the API of SIGNALBOX_URL and the key of SIGNALBOX_API_KEY.',
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

/** Describes the gateways, and counts what waits by lane. */
async function installation(): Promise<string> {
  const [{ data: gateways }, { data: lanes }] = [
    await callApi<{ data: Gateway[] }>('/v1/gateways'),
    await callApi<{ data: Lanes }>('/v1/lanes'),
  ];
  const ready = Object.entries(Object.groupBy(lanes.backlogs, ({ lane }) => lane)).map(
    ([lane, list = []]) => `${lane}  ${list.reduce((sum, each) => sum + each.ready, 0)} sends are ready`,
  );
  const waiting = lanes.waitingMessages.map(
    ({ lane, messages }) => `${lane}  ${messages} messages wait because no gateway takes them`,
  );
  return [
    ...gateways.map(({ name, state }) => `${name}  ${state.status}: ${state.reason}`),
    ...(gateways.length === 0 ? ['The simulator serves: there is no gateway.'] : []),
    ...waiting,
    ...ready,
    ...(waiting.length + ready.length === 0 ? ['Nothing waits.'] : []),
  ].join('\n');
}

function headOf({ status: state, errCode, statusDescription, recipient, channel, gateway }: Message): string {
  const reason = statusDescription ? `: ${statusDescription} (errCode ${errCode})` : '';
  return `${state}${reason}\n${channel} to ${recipient}${gateway ? ` through ${gateway}` : ''}\n`;
}

/** Shows the members of an event that are single values. */
function lineOf({ at, event, ...rest }: Message['timeline'][number]): string {
  const members = Object.entries(rest).filter(([, value]) => value !== null && typeof value !== 'object');
  return [at, event, ...members.map(([name, value]) => `${name}=${String(value)}`)].join('  ');
}
