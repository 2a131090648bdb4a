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

/** A template that others registered under the name of ours. */
const FOREIGN = { id: '594', name: 'order', language: 'en', category: 'MARKETING', components: [] };
const OURS = { status: 'PENDING', category: 'UTILITY', components: [{ type: 'BODY' }] };

test('a template of the same name that is there already is edited to ours', async () => {
  await using t = await openProvider();
  t.graph.templates.set('594', { ...FOREIGN, status: 'APPROVED' });
  await t.registered(await t.create());
  expect(t.posts()).toEqual([]);
  expect(t.graph.templates.get('594')).toMatchObject(OURS);
});

test.each([
  ['look for it', 'GET', '/message_templates'],
  ['edit it', 'POST', '/594'],
])('a template of the same name is edited to ours after a failed try to %s', async (_try, method, path) => {
  await using t = await openProvider();
  t.graph.templates.set('594', { ...FOREIGN, status: 'APPROVED' });
  let failures = 0;
  t.graph.intercept = (request) => {
    if (request.method !== method || !request.path.endsWith(path) || failures > 0) return undefined;
    failures += 1;
    return graphError(2, {}, 500);
  };
  const id = await t.create();
  await t.run(async () => failures > 0);
  await t.restart();
  await t.registered(id);

  expect(t.graph.templates.get('594')).toMatchObject(OURS);
  expect((await t.find(id)).status).toBe('PENDING');
});

test('an edit whose answer is lost is not made again while Meta reviews it', async () => {
  await using t = await openProvider();
  const template = { ...FOREIGN, status: 'APPROVED' };
  t.graph.templates.set('594', template);
  let edits = 0;
  t.graph.intercept = ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/594') return undefined;
    edits += 1;
    Object.assign(template, body, { status: 'PENDING' });
    return { cut: true };
  };
  await t.registered(await t.create());

  expect(edits).toBe(1);
});

test('a template of the same name that Meta reviews is edited to ours after the review', async () => {
  await using t = await openProvider();
  const template = { ...FOREIGN, status: 'PENDING' };
  t.graph.templates.set('594', template);
  const id = await t.create();
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  expect(template).toMatchObject(FOREIGN);

  template.status = 'APPROVED';
  await t.registered(id);
  expect(template).toMatchObject(OURS);
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
