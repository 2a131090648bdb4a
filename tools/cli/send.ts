import { parseArgs } from 'node:util';
import { callApi } from './call-api.ts';
import { type Command, UsageError } from './command.ts';

interface Sent {
  data: { recipient: string; messageId: string }[];
}

export const send: Command = {
  forms: ['<number>[,<number>…] <text> [--sender <sender>] [--type TRANS|OTP|PROMO]'],
  details:
    'Uses the API of SIGNALBOX_URL and the key of SIGNALBOX_API_KEY. The sender is SIGNAL and the type TRANS by default. A text that begins with a dash follows `--`, after the options: send 919800000001 -- "-50 % today".\nPrints each number with the id of its message.',
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        sender: { type: 'string', default: 'SIGNAL' },
        type: { type: 'string', default: 'TRANS' },
      },
    });
    const [to, text, ...rest] = positionals;
    if (!to || !text || rest.length > 0) throw new UsageError('Name the numbers, then the text in quotes.');
    const body = { sender: values.sender, to, text, type: values.type };
    const { data } = await callApi<Sent>('/v1/sms', { body });
    return data.map(({ recipient, messageId }) => `${recipient}  ${messageId}`).join('\n');
  },
};
