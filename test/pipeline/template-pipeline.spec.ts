import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE, describeOnEachQueue, type QueueBackend } from '../support/queue.ts';
import { TEMPLATE_SAMPLES, mediaSamples } from '../support/template-samples.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { uploadSamples } from '../support/upload-samples.ts';

interface View {
  id: string;
  name: string;
  status: string;
  category: string;
  rejectionReason: string | null;
}

describeOnEachQueue((queue) => {
  test('every kind of template is created, approved, listed and found', async () => {
    await using t = await setup(queue, 'auto');
    const created = new Map<string, object>();
    const samples = { ...TEMPLATE_SAMPLES, ...mediaSamples(await t.upload()) };
    for (const [name, sample] of Object.entries(samples)) created.set(name, await t.create(name, sample));

    await t.until((templates) => templates.every(({ status }) => status !== 'Pending'));

    const listed = await t.list();
    expect(
      listed.map(({ name, status, rejectionReason }) => ({ name, status, rejectionReason })).toReversed(),
    ).toEqual(Object.keys(samples).map((name) => ({ name, status: 'Approved', rejectionReason: null })));
    for (const view of listed) {
      expect(view).toEqual({ ...created.get(view.name), status: 'Approved', updatedAt: expect.any(String) });
      expect((await t.p.get(`/v1/chatapp/getChatTemplate?id=${view.id}`)).body['data']).toEqual(view);
    }
  });
});

test('the reviewer names the broken rules, and moves an offer to MARKETING where allowed', async () => {
  await using t = await setup(A_QUEUE, 'auto');
  const offer = {
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Flash sale today for all of you' }],
  };
  await t.create('refused', offer);
  await t.create('moved', { ...offer, allow_category_change: true });

  const [moved, refused] = await t.until((templates) =>
    templates.every(({ status }) => status !== 'Pending'),
  );

  expect(moved).toMatchObject({ status: 'Approved', category: 'MARKETING', rejectionReason: null });
  expect(refused).toMatchObject({
    status: 'Rejected',
    category: 'UTILITY',
    rejectionReason: expect.stringMatching(/^promotion_in_utility: /),
  });
  const { body } = await t.p.get(`/v1/chatapp/chatTemplateHistory?id=${refused!.id}`);
  expect(body['data']).toMatchObject([
    {
      event: 'rejected',
      version: 1,
      actor: 'review:auto',
      reason: refused!.rejectionReason,
      components: offer.components,
    },
    { event: 'created', version: 1, actor: expect.stringMatching(/^api-key:/), reason: null },
  ]);
});

test('with manual review a template is pending until a person decides', async () => {
  await using t = await setup(A_QUEUE, 'manual');
  for (const [name, sample] of Object.entries(TEMPLATE_SAMPLES)) await t.create(name, sample);

  const listed = await t.list();
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['Pending']));
  for (const { id } of listed) {
    const decided = await t.p.post('/v1/chatapp/reviewChatTemplate', { id, decision: 'approve' });
    expect([decided.status, decided.body['data']]).toMatchObject([200, { id, status: 'Approved' }]);
  }
});

async function setup(queue: QueueBackend, review: 'auto' | 'manual') {
  const p: Pipeline = await startPipeline({ queue, workers: ['chatapp'], env: { TEMPLATE_REVIEW: review } });
  const { body } = await p.get('/v1/chat-accounts');
  const chatAccountId = String((body['data'] as { id: number }[])[0]!.id);
  const list = async (): Promise<View[]> =>
    (await p.get('/v1/chatapp/chatTemplateList')).body['data'] as View[];
  return {
    p,
    list,
    upload: () => uploadSamples(p),
    create: async (name: string, sample: object): Promise<object> => {
      const created = await p.post('/v1/chatapp/createChatTemplate', { name, chatAccountId, ...sample });
      expect([name, created.status, created.body['error']]).toEqual([name, 200, null]);
      expect(created.headers.get('ignored-fields')).toBeNull();
      return (created.body['data'] as object[])[0]!;
    },
    until: async (isDone: (templates: View[]) => boolean): Promise<View[]> => {
      await waitFor(async () => isDone(await list()), {
        otherwise: 'the templates were not reviewed',
      });
      return list();
    },
    [Symbol.asyncDispose]: () => p[Symbol.asyncDispose](),
  };
}
