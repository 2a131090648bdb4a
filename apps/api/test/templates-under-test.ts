import { expect } from '@jest/globals';
import type { Answer, ApiUnderTest } from './api-under-test.ts';

export interface View {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  components: object[];
  rejectionReason: string | null;
  editsLeftToday: number;
  editsLeftThisMonth: number;
}

export const BODY = { type: 'BODY', text: 'Your order has left our house.' };
export const OTHER = { type: 'BODY', text: 'Your order is on its way.' };

/** Id of the demo account's chat account. */
export async function findChatAccount(t: ApiUnderTest): Promise<number> {
  const { body } = await t.call<{ id: number }[]>({ method: 'GET', path: '/v1/chat-accounts' });
  return body.data[0]!.id;
}

/** Calls of the template operations for one chat account. */
export function templateCalls({ t, chatAccountId }: { t: ApiUnderTest; chatAccountId: number }) {
  const post = <D = View>(operation: string, body: object, apikey = t.p.apiKey): Promise<Answer<D>> =>
    t.call({ path: `/v1/chatapp/${operation}`, body, headers: { apikey } });
  const read = <D = View>(operation: string, query: string, apikey = t.p.apiKey): Promise<Answer<D>> =>
    t.call({ method: 'GET', path: `/v1/chatapp/${operation}?${query}`, headers: { apikey } });
  const template = (name: string, more: object = {}): object => ({
    name,
    category: 'UTILITY',
    chatAccountId,
    components: [BODY],
    ...more,
  });
  const decide = (id: string, decision: string, reason?: string): Promise<Answer<View>> =>
    post('reviewChatTemplate', { id, decision, ...(reason && { reason }) });

  async function create(name: string, more: object = {}): Promise<string> {
    const created = await post<View[]>('createChatTemplate', template(name, more));
    expect(created.status).toBe(200);
    return created.body.id;
  }

  async function createApproved(name: string, more: object = {}): Promise<string> {
    const id = await create(name, more);
    expect((await decide(id, 'approve')).status).toBe(200);
    return id;
  }
  return { post, read, template, decide, create, createApproved };
}
