import { expect, test } from '@jest/globals';
import { graphError } from '@signalbox/test/graph-server';
import { creates, openProvider } from '../../test/provider-under-test.ts';

test('a worker that dies after the request registers nothing twice', async () => {
  await using t = await openProvider();
  let lost = 0;
  t.graph.intercept = (request) => {
    if (!creates(request) || lost > 0) return undefined;
    lost += 1;
    const { name, language } = request.body as { name: string; language: string };
    t.graph.templates.set('594', { id: '594', name, language, status: 'PENDING', category: 'UTILITY' });
    return { cut: true };
  };
  const id = await t.create();
  await t.run(async () => lost === 1);
  await t.restart();
  await t.registered(id);

  expect(t.posts()).toHaveLength(1);
  expect((await t.find(id)).registration).toMatchObject({ gatewayTemplateId: '594', problem: null });
});

test('a template of the same name that is there already is edited to ours', async () => {
  await using t = await openProvider();
  t.graph.templates.set('594', {
    id: '594',
    name: 'order',
    language: 'en',
    status: 'APPROVED',
    category: 'MARKETING',
    components: [],
  });
  await t.registered(await t.create());
  expect(t.posts()).toEqual([]);
  expect(t.graph.templates.get('594')).toMatchObject({
    status: 'PENDING',
    category: 'UTILITY',
    components: [{ type: 'BODY' }],
  });
});

test('a template outlives the late deletion of the one whose name it takes', async () => {
  await using t = await openProvider();
  const deleted = await t.create();
  await t.registered(deleted);
  let deletions = 0;
  t.graph.intercept = ({ method }) => {
    if (method !== 'DELETE') return undefined;
    deletions += 1;
    return deletions === 1 ? graphError(2, {}, 500) : undefined;
  };

  await t.remove(deleted);
  const id = await t.create();
  await t.registered(id);
  await t.run(async () => deletions === 2);

  expect([...t.graph.templates.keys()]).toEqual([(await t.find(id)).registration?.gatewayTemplateId]);
});
