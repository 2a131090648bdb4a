import { request } from 'undici';
import type { Load } from './generator.ts';
import type { Stage } from './stage.ts';

/** Number of senders. Each sends at most 80 messages a second; together they are no limit. */
const SENDERS = 96;
/**
 * Number of recipients. Each gets one message in six seconds after a burst of 45; together they are no limit either.
 */
const RECIPIENTS = 20_000;

const TEMPLATE = {
  name: 'bench_order',
  category: 'UTILITY',
  language: 'en',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Your order' },
    { type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way and will be with you on {{3}}.' },
    { type: 'FOOTER', text: 'Thank you' },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', text: 'Track it', url: 'https://example.com/orders/{{2}}' }],
    },
  ],
};

/**
 * Registers senders, has a template approved, and makes the requests that send it: each to another recipient, sender
 * after sender.
 */
export async function templateMessages(
  stage: Stage,
): Promise<Pick<Load, 'url' | 'headers' | 'body' | 'bodies'>> {
  const { apiUrl, apiKey } = stage.stack;
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const [chatAccount] = (await call<{ data: { id: number }[] }>(`${apiUrl}/v1/chat-accounts`, headers)).data;
  const senders = Array.from({ length: SENDERS }, (_, i) => String(15_550_200_000 + i));
  for (const msisdn of senders)
    await call(`${apiUrl}/v1/chat-accounts/${chatAccount!.id}/senders`, headers, { msisdn });
  const template = { ...TEMPLATE, chatAccountId: chatAccount!.id };
  const { id } = await call<{ id: string }>(`${apiUrl}/v1/chatapp/createChatTemplate`, headers, template);
  // The automatic review may have decided before.
  await call(`${apiUrl}/v1/chatapp/reviewChatTemplate`, headers, { id, decision: 'approve' }).catch(
    () => undefined,
  );
  const bodies = Array.from({ length: RECIPIENTS }, (_, i) =>
    JSON.stringify(messageTo(i, senders[i % SENDERS]!)),
  );
  return { url: `${apiUrl}/v1/chatapp`, headers, body: bodies[0]!, bodies };
}

/** Recipients whose last four digits choose the script Sent, Delivered, Read. */
function messageTo(i: number, from: string): object {
  const to = String(919_800_000_000 + Math.floor(i / 5_000) * 10_000 + 1_000 + (i % 5_000));
  const components = { body: { params: ['Asha', `A-${i}`, 'Monday'] } };
  return { from, to, type: 'template', templateName: TEMPLATE.name, campaignName: 'bench', components };
}

async function call<A>(url: string, headers: Record<string, string>, body?: object): Promise<A> {
  const answer = await request(url, {
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text) as A;
}
