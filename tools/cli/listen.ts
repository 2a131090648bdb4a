import { parseArgs } from 'node:util';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { type Command, UsageError, isHttp } from './command.ts';
import { counted } from './doctor/finding.ts';
import { Forwarder } from './listen/forwarder.ts';
import { Notices } from './listen/notices.ts';
import { openListeners, removeListeners } from './listen/listeners.ts';

export const listen: Command = {
  forms: ['<url> [--channel sms|chatapp] [--name <name>]', '--remove [--name <name>]'],
  details: [
    'Posts each delivery report and event to <url>, signed as a webhook is, and prints the status of the answer,',
    'the attempt, the check of the signature, and the id. Opens no port: it needs the API of SIGNALBOX_URL and a key of',
    'SIGNALBOX_API_KEY with the scope `webhooks`. Events that arrive while it does not run are forwarded when it runs',
    'again, for 30 days; `--remove` ends that. Listeners of one name share the events.',
  ].join('\n'),
  async run(args) {
    const { url, channels, name, remove } = readArguments(args);
    if (remove) return removed(await removeListeners(name));
    const listeners = await openListeners(name, channels);
    for (const { channel, secret } of listeners) console.log(`${channel.padEnd(7)}  secret ${secret}`);
    console.log(`Forwarding to ${url}. Ctrl-C ends it.`);
    const ending = endOnSignal();
    const notices = new Notices(console.log);
    const forwarders = listeners.map((listener) => new Forwarder(listener, url, notices));
    try {
      await Promise.all(forwarders.map((forwarder) => forwarder.run(ending.signal)));
    } finally {
      ending.abort();
    }
    const forwarded = forwarders.reduce((sum, { count }) => sum + count, 0);
    return `Forwarded ${counted(forwarded, 'event')}.`;
  },
};

/** One Ctrl-C arrives from the terminal and from npm; only a later one counts as the second. */
const SAME_SIGNAL_MS = 1_000;

/** Aborts with the first signal. A second one ends the process immediately. */
function endOnSignal(): AbortController {
  const ending = new AbortController();
  let endedAt: number | undefined;
  const end = () => {
    endedAt ??= performance.now();
    if (performance.now() - endedAt > SAME_SIGNAL_MS) process.exit(1);
    ending.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  return ending;
}

interface Arguments {
  url: string;
  channels: readonly Channel[];
  name: string;
  remove: boolean;
}

function readArguments(args: string[]): Arguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      channel: { type: 'string' },
      name: { type: 'string', default: 'listen' },
      remove: { type: 'boolean', default: false },
    },
  });
  const { channel, name, remove } = values;
  const [url = '', ...rest] = positionals;
  if (rest.length > 0 || !(isHttp(url) || (remove && url === '')))
    throw new UsageError('Name one address, as http://127.0.0.1:8080/reports.');
  if (channel !== undefined && !isChannel(channel)) throw new UsageError('--channel is sms or chatapp.');
  if (!/^\S(.{0,58}\S)?$/.test(name)) throw new UsageError('--name has 1 to 60 characters.');
  return { url, channels: channel === undefined ? CHANNELS : [channel], name, remove };
}

function isChannel(text: string): text is Channel {
  return CHANNELS.includes(text as Channel);
}

function removed(count: number): string {
  return count === 0 ? 'There was nothing to remove.' : 'Removed. Events are not kept for it any more.';
}
