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

export const status: Command = {
  forms: ['<message id>'],
  summary: 'Shows what happened to a message',
  details: 'Uses the API of SIGNALBOX_URL and the key of SIGNALBOX_API_KEY.',
  async run([id, ...rest]) {
    if (!id || rest.length > 0) throw new UsageError('Name one message by its id.');
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
