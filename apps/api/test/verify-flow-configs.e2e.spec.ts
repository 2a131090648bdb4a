import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { TEMPLATE_SAMPLES } from '@signalbox/test/template-samples';
import { type Answer, expectFailure, startSharedApi } from './api-under-test.ts';
import { FROM, addTemplate } from './chatapp-under-test.ts';
import { askCode } from './verify-under-test.ts';

const PATH = '/v1/verify/configs';
const SAMPLE = { ...TEMPLATE_SAMPLES['copy_code']!, language: 'en' };
const TEMPLATE = { name: 'login_code', from: FROM };
const CHAT = { channel: 'chatapp', afterSeconds: 0 };
const SMS = { channel: 'sms', afterSeconds: 0 };

const t = await startSharedApi();
await addTemplate(t, TEMPLATE.name, SAMPLE, 'approve');

type View = Record<string, unknown> & { id: string };

const create = (body: object, apikey = t.p.apiKey): Promise<Answer<View>> =>
  t.call({ path: PATH, body: { name: `flow ${randomUUIDv7()}`, ...body }, headers: { apikey } });
const change = (id: string, body: object): Promise<Answer<View>> =>
  t.call({ method: 'PATCH', path: `${PATH}/${id}`, body });

const shown = ({ body: { data } }: Answer<View>): unknown => ({
  channel: data['channel'],
  flow: data['flow'],
  template: data['template'],
});

test.each<[string, object, object]>([
  ['a channel alone', { channel: 'chatapp', template: TEMPLATE }, { channel: 'chatapp', flow: [CHAT] }],
  [
    'a channel to fall back to',
    { channel: 'chatapp', template: TEMPLATE, sender: 'SIGNALBX', fallback: 'sms' },
    { channel: 'chatapp', flow: [CHAT, { ...SMS, afterSeconds: 30 }] },
  ],
  [
    'one with its time',
    {
      channel: 'chatapp',
      template: TEMPLATE,
      sender: 'SIGNALBX',
      fallback: { channel: 'sms', afterSeconds: 10 },
    },
    { channel: 'chatapp', flow: [CHAT, { ...SMS, afterSeconds: 10 }] },
  ],
  [
    'a flow',
    { flow: [SMS, { ...CHAT, afterSeconds: 60 }], template: TEMPLATE, sender: 'SIGNALBX' },
    { channel: 'sms', flow: [SMS, { ...CHAT, afterSeconds: 60 }] },
  ],
])('%s becomes the flow of a configuration', async (_name, body, expected) => {
  const created = await create(body);

  expect([created.status, shown(created)]).toEqual([
    201,
    { ...expected, template: { ...TEMPLATE, language: null } },
  ]);
  expect((await t.call({ method: 'GET', path: `${PATH}/${created.body.data.id}` })).body.data).toEqual(
    created.body.data,
  );
});

test('removing the chat-app step from a flow removes the template', async () => {
  const { id } = (await create({ sender: 'SIGNALBX' })).body.data;

  const withChat = await change(id, {
    channel: 'chatapp',
    fallback: 'sms',
    template: { ...TEMPLATE, language: 'en' },
    stopOn: 'verified',
  });
  expect(shown(withChat)).toEqual({
    channel: 'chatapp',
    flow: [CHAT, { ...SMS, afterSeconds: 30 }],
    template: { ...TEMPLATE, language: 'en' },
  });
  expect(shown(await change(id, { channel: 'chatapp', codeLength: 8 }))).toEqual(shown(withChat));
  expect(shown(await change(id, { fallback: { channel: 'sms', afterSeconds: 90 } }))).toMatchObject({
    flow: [CHAT, { ...SMS, afterSeconds: 90 }],
  });
  expectFailure(await change(id, { ttlSeconds: 60 }), 400, 'invalid_request', [
    'flow[1].afterSeconds out_of_range',
  ]);
  expect(shown(await change(id, { fallback: null }))).toMatchObject({ channel: 'chatapp', flow: [CHAT] });
  const back = await change(id, { channel: 'sms' });
  expect([back.status, shown(back)]).toEqual([200, { channel: 'sms', flow: [SMS], template: null }]);
  expect(back.body.data).toMatchObject({ sender: 'SIGNALBX', stopOn: 'verified', codeLength: 8 });
});

test('a template must exist in the chat account of the sender and carry codes', async () => {
  await addTemplate(t, 'order_update', TEMPLATE_SAMPLES['utility_simple']!);
  const shop = await t.call<{ id: number }>({ path: '/v1/chat-accounts', body: { name: 'another shop' } });
  await t.call({ path: `/v1/chat-accounts/${shop.body.data.id}/senders`, body: { msisdn: '15550100003' } });
  const other = await t.addKey('Other');
  const config = { channel: 'chatapp', template: TEMPLATE };

  expectFailure(
    await create({ ...config, template: { ...TEMPLATE, from: '15550109999' } }),
    404,
    'sender_not_found',
  );
  expectFailure(await create(config, other), 404, 'sender_not_found');
  expectFailure(
    await create({ ...config, template: { ...TEMPLATE, name: 'no_such' } }),
    404,
    'template_not_found',
  );
  expectFailure(
    await create({ ...config, template: { ...TEMPLATE, language: 'de' } }),
    404,
    'template_not_found',
  );
  expectFailure(
    await create({ ...config, template: { ...TEMPLATE, from: '15550100003' } }),
    404,
    'template_not_found',
  );
  expectFailure(
    await create({ ...config, template: { ...TEMPLATE, name: 'order_update' } }),
    400,
    'invalid_request',
    ['template.name not_allowed_value'],
  );
  const { id } = (await create(config)).body.data;
  expectFailure(await change(id, { template: { ...TEMPLATE, name: 'no_such' } }), 404, 'template_not_found');
  expectFailure(await change(id, { template: null }), 400, 'invalid_request', ['template required']);
  expectFailure(await change(id, { channel: 'sms' }), 400, 'invalid_request', ['sender required']);
});

test('an unsendable template refuses codes that have no other channel', async () => {
  const templateId = await addTemplate(t, 'under_review', SAMPLE);
  const template = { name: 'under_review', from: FROM };
  const only = (await create({ channel: 'chatapp', template })).body.data.id;
  const both = (await create({ channel: 'chatapp', template, fallback: 'sms', sender: 'SIGNALBX' })).body.data
    .id;

  expectFailure(await askCode(t, only, '919800000101'), 409, 'template_not_approved');
  expect((await askCode(t, both, '919800000102')).status).toBe(200);
  await t.call({ path: '/v1/chatapp/reviewChatTemplate', body: { id: templateId, decision: 'approve' } });
  expect((await askCode(t, only, '919800000101')).status).toBe(200);
  await t.call({ path: '/v1/chatapp/deleteChatTemplate', body: { id: templateId } });
  expectFailure(await askCode(t, only, '919800000103'), 404, 'template_not_found');
});

test('a code is charged for all its steps', async () => {
  const setBudget = (dailyCredits: number | null) =>
    t.call({ method: 'PATCH', path: '/v1/verify/policy', body: { dailyCredits } });
  const { id } = (
    await create({ channel: 'chatapp', template: TEMPLATE, fallback: 'sms', sender: 'SIGNALBX' })
  ).body.data;
  await t.db.query(`DELETE FROM verification_quota WHERE quota = 'credits'`); // of the tests before
  await setBudget(3);

  expect((await askCode(t, id, '919800000201')).status).toBe(200);
  expectFailure(await askCode(t, id, '919800000202'), 429, 'otp_send_limit');
  await setBudget(4);
  expect((await askCode(t, id, '919800000202')).status).toBe(200);
  await setBudget(null);
});

const FALLEN_BACK = { sender: 'SIGNALBX', channel: 'chatapp', template: TEMPLATE };

test.each<[string, object, string[]]>([
  ['no sender for an SMS', {}, ['sender required']],
  ['null as a sender', { sender: null }, ['sender required']],
  ['no template for the chat app', { channel: 'chatapp' }, ['template required']],
  [
    'null for both',
    { channel: 'chatapp', fallback: 'sms', template: null },
    ['sender required', 'template required'],
  ],
  [
    'a template that nothing uses',
    { sender: 'SIGNALBX', template: TEMPLATE },
    ['template not_allowed_value'],
  ],
  ['a template’s name alone', { channel: 'chatapp', template: 'login_code' }, ['template invalid_type']],
  [
    'a template without a sender',
    { channel: 'chatapp', template: { name: 'login_code' } },
    ['template.from required'],
  ],
  [
    'a template of wrong types',
    { channel: 'chatapp', template: { name: 5, language: '', from: 'x' } },
    ['template.name invalid_type', 'template.language blank', 'template.from invalid_format'],
  ],
  [
    'a fallback to no channel',
    { ...FALLEN_BACK, fallback: 'pigeon' },
    ['fallback.channel not_allowed_value'],
  ],
  [
    'a fallback to the channel itself',
    { ...FALLEN_BACK, fallback: 'chatapp' },
    ['fallback.channel duplicate_item'],
  ],
  ['a list as a fallback', { ...FALLEN_BACK, fallback: ['sms'] }, ['fallback invalid_type']],
  [
    'a fallback too soon',
    { ...FALLEN_BACK, fallback: { channel: 'sms', afterSeconds: 4 } },
    ['fallback.afterSeconds out_of_range'],
  ],
  [
    'a fallback after the end',
    { ...FALLEN_BACK, ttlSeconds: 60, fallback: { channel: 'sms', afterSeconds: 60 } },
    ['fallback.afterSeconds out_of_range'],
  ],
  [
    'a time in quotes',
    { ...FALLEN_BACK, fallback: { channel: 'sms', afterSeconds: '30' } },
    ['fallback.afterSeconds invalid_type'],
  ],
  [
    'a flow and a fallback',
    { ...FALLEN_BACK, flow: [CHAT], fallback: 'sms' },
    ['fallback not_allowed_value'],
  ],
  [
    'a flow that begins elsewhere',
    { ...FALLEN_BACK, flow: [SMS, { ...CHAT, afterSeconds: 30 }] },
    ['channel not_allowed_value'],
  ],
  ['an empty flow', { sender: 'SIGNALBX', flow: [] }, ['flow too_few_items']],
  ['a flow of three', { ...FALLEN_BACK, flow: [CHAT, SMS, CHAT] }, ['flow too_many_items']],
  ['a flow that is no list', { ...FALLEN_BACK, flow: CHAT }, ['flow invalid_type']],
  ['null as a step', { ...FALLEN_BACK, flow: [null] }, ['flow[0] null_not_allowed']],
  [
    'an empty step',
    { ...FALLEN_BACK, flow: [{}] },
    ['flow[0].channel required', 'flow[0].afterSeconds required'],
  ],
  [
    'a flow that begins late',
    { ...FALLEN_BACK, flow: [{ ...CHAT, afterSeconds: 5 }] },
    ['flow[0].afterSeconds not_allowed_value'],
  ],
  [
    'a channel twice',
    { ...FALLEN_BACK, flow: [CHAT, { ...CHAT, afterSeconds: 30 }] },
    ['flow[1].channel duplicate_item'],
  ],
  [
    'a step of more than an hour',
    { ...FALLEN_BACK, flow: [CHAT, { ...SMS, afterSeconds: 3_601 }] },
    ['flow[1].afterSeconds out_of_range'],
  ],
  [
    'a step before the first',
    { ...FALLEN_BACK, flow: [CHAT, { ...SMS, afterSeconds: -1 }] },
    ['flow[1].afterSeconds out_of_range'],
  ],
  ['an unknown end', { sender: 'SIGNALBX', stopOn: 'read' }, ['stopOn not_allowed_value']],
])('%s is refused', async (_name, fields, broken) => {
  const refused = await create(fields);

  expect([
    refused.status,
    refused.body.error?.details.map(({ field, rule }) => `${field} ${rule}`).toSorted(),
  ]).toEqual([400, broken.toSorted()]);
});
