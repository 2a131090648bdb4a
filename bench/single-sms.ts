import type { Load } from './generator.ts';
import { RECIPIENT } from './recipients.ts';

/** The request of the benches: one SMS to one recipient, which the simulator delivers. */
export function singleSms(apiUrl: string, apiKey: string): Pick<Load, 'url' | 'headers' | 'body'> {
  const body = {
    sender: 'SIGNALBX',
    to: RECIPIENT,
    text: 'Your order 4711 has been shipped.',
    type: 'TRANS',
  };
  return {
    url: `${apiUrl}/v1/sms`,
    headers: { apikey: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
