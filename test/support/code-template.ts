import { waitFor } from '../../tools/servers/wait-for.ts';
import { TEMPLATE_SAMPLES } from './template-samples.ts';
import type { Pipeline } from './pipeline.ts';

/** The number of the demo account's chat account. */
const FROM = '15550100001';

/**
 * Creates a template for codes and waits for its approval. Returns its name and sender, for a verification
 * configuration.
 */
export async function addCodeTemplate(p: Pipeline): Promise<{ name: string; from: string }> {
  const [account] = (await p.get('/v1/chat-accounts')).body['data'] as { id: number }[];
  const template = { ...TEMPLATE_SAMPLES['copy_code'], name: 'login_code', chatAccountId: account!.id };
  const { id } = (await p.post('/v1/chatapp/createChatTemplate', template)).body;
  const status = async (): Promise<unknown> =>
    ((await p.get(`/v1/chatapp/getChatTemplate?id=${String(id)}`)).body['data'] as { status: string }).status;
  await waitFor(async () => (await status()) === 'Approved', {
    otherwise: 'the template was not approved',
  });
  return { name: template.name, from: FROM };
}
