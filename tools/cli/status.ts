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

export const status: Command = {
  forms: ['<message id>'],
  details: 'Uses the API of SIGNALBOX_URL and the key of SIGNALBOX_API_KEY.',
  async run([id, ...rest]) {
    if (!id || rest.length > 0) throw new UsageError('Name one message by its id.');
    if (!/:\d+$/.test(id))
      throw new UsageError(
        `${id} is no message id: that is the id of a send with the number of the recipient, as ${EXAMPLE}.`,
      );
    const { data } = await callApi<{ data: Message }>(`/v1/messages/${encodeURIComponent(id)}`);
    return [headOf(data), ...data.timeline.map(lineOf)].join('\n');
  },
};

function headOf({ status: state, errCode, statusDescription, recipient, channel, gateway }: Message): string {
  const reason = statusDescription ? `: ${statusDescription} (errCode ${errCode})` : '';
  return `${state}${reason}\n${channel} to ${recipient}${gateway ? ` through ${gateway}` : ''}\n`;
}

/** Shows the members of an event that are single values. */
function lineOf({ at, event, ...rest }: Message['timeline'][number]): string {
  const members = Object.entries(rest).filter(([, value]) => value !== null && typeof value !== 'object');
  return [at, event, ...members.map(([name, value]) => `${name}=${String(value)}`)].join('  ');
}
