import { expect, test } from '@jest/globals';
import { graphError } from '@signalbox/test/graph-server';
import { addAccount, creates, openProvider, templatesOf } from '../../test/provider-under-test.ts';

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

test('an edit that Meta approved before its answer was lost is not made again', async () => {
  await using t = await openProvider();
  const template = { ...FOREIGN, status: 'APPROVED' };
  t.graph.templates.set('594', template);
  let edits = 0;
  t.graph.intercept = ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/594') return undefined;
    edits += 1;
    if (edits > 1) return graphError(100, { error_user_msg: 'Edit it tomorrow.' });
    Object.assign(template, body);
    return { cut: true };
  };
  const id = await t.create();
  await t.registered(id);

  expect(edits).toBe(1);
  expect(await t.find(id)).toMatchObject({ status: 'APPROVED', registration: { gatewayTemplateId: '594' } });
});

test('a template that others make after Meta refused our token is edited to ours', async () => {
  await using t = await openProvider();
  t.graph.intercept = (request) => (creates(request) ? graphError(190, {}, 401) : undefined);
  const id = await t.create();
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  t.graph.templates.set('594', { ...FOREIGN, status: 'APPROVED' });
  await t.registered(id);

  expect(t.graph.templates.get('594')).toMatchObject(OURS);
});

test('of equal names in one business account one is registered, and the other is rejected', async () => {
  await using t = await openProvider();
  const msisdn = '15550900002';
  t.graph.numbers.push({ id: '106550', display_phone_number: `+${msisdn}` });
  const other = templatesOf(await addAccount(msisdn));
  const [id, otherId] = [await t.create(), await other.create({ category: 'MARKETING' })];
  const states = async () => [await t.find(id), await other.find(otherId)];
  await t.run(async () => {
    const all = await states();
    return (
      all.some(({ status }) => status === 'REJECTED') &&
      all.some(({ registration }) => registration?.status === 'PENDING')
    );
  });

  const rejected = (await states()).find(({ status }) => status === 'REJECTED');
  expect(rejected!.rejectionReason).toContain('another name');
  expect(t.posts()).toHaveLength(1);
  const [template] = [...t.graph.templates.values()];
  Object.assign(template!, { status: 'APPROVED' });
  await t.restart();
  await t.run(async () => (await states()).some(({ status }) => status === 'APPROVED'));
  expect((await states()).map(({ status }) => status).toSorted()).toEqual(['APPROVED', 'REJECTED']);

  await (rejected!.id === id ? t : other).remove(rejected!.id);
  await t.run(async () => t.isRemoved(rejected!.id));
  expect(t.graph.templates.size).toBe(1);
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

test.each([
  ['create', 'POST', '/message_templates', []],
  ['edit', 'POST', '/594', [{ ...FOREIGN, status: 'APPROVED' }]],
])(
  'the deletion of a template that Meta refused to %s leaves a foreign one',
  async (_, method, path, there) => {
    await using t = await openProvider();
    for (const template of there) t.graph.templates.set('594', template);
    t.graph.intercept = (request) =>
      request.method === method && request.path.endsWith(path) ? graphError(100) : undefined;
    const id = await t.create();
    await t.run(async () => (await t.find(id)).status === 'REJECTED');
    t.graph.templates.set('594', { ...FOREIGN, status: 'APPROVED' });

    await t.remove(id);
    await t.run(async () => t.isRemoved(id));

    expect([...t.graph.templates.keys()]).toEqual(['594']);
  },
);

test('the deletion of a template whose edit of a foreign one did not arrive leaves it', async () => {
  await using t = await openProvider();
  t.graph.templates.set('594', { ...FOREIGN, status: 'APPROVED' });
  t.graph.intercept = ({ path }) => (path === '/594' ? graphError(2, {}, 500) : undefined);
  const id = await t.create();
  await t.run(async () => (await t.find(id)).registration?.problem != null);

  await t.remove(id);
  await t.run(async () => t.isRemoved(id));

  expect([...t.graph.templates.keys()]).toEqual(['594']);
});
