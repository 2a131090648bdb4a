import { beforeAll, expect, test } from '@jest/globals';
import { deleteTemplate, editTemplate } from '@signalbox/database/templates/templates';
import { TEMPLATE_SAMPLES, mediaSamples } from '@signalbox/test/template-samples';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import { CHAT_BODIES } from '../src/chatapp/chat.examples.ts';
import { FROM, GOOD_TEXT, addTemplate } from './chatapp-under-test.ts';

interface Row {
  account_id: string;
  channel: string;
  kind: string;
  lane: string;
  sender: string;
  recipients: string[];
  content: Record<string, Record<string, unknown>>;
  sealed: Buffer | null;
  waits: boolean;
}

const MEDIA = mediaSamples({ IMAGE: 'h-image', VIDEO: 'h-video', DOCUMENT: 'h-document' });

const t = await startSharedApi();

beforeAll(async () => {
  for (const [name, sample] of Object.entries({ ...TEMPLATE_SAMPLES, ...MEDIA }))
    await addTemplate(t, name, sample, 'approve');
});

const send = (body: object, headers: Record<string, string> = {}): Promise<Answer<{ messageId: string }[]>> =>
  t.call({ path: '/v1/chatapp', body, headers });
const sendTemplate = (templateName: string, more: object = {}) =>
  send({ from: FROM, to: '919800000100', type: 'template', templateName, ...more });
const filled = (params: string[], header?: object): object => ({
  components: { body: { params }, ...(header && { header }) },
});
const preview = async (body: object): Promise<unknown> =>
  (await t.call<{ content: unknown }[]>({ path: '/v1/chatapp?dryRun=true', body })).body.data[0]?.content;

/** The content of a message that `GET /v1/messages/{messageId}` shows. */
async function shown(answer: Answer): Promise<{ text: string | null; isCode: boolean; rendered: unknown }> {
  const path = `/v1/messages/${answer.body.id}:1`;
  const { body } = await t.call<{ content: Awaited<ReturnType<typeof shown>> }>({ method: 'GET', path });
  return body.data.content;
}

async function stored(answer: Answer): Promise<Row> {
  expect([answer.status, answer.body.error]).toEqual([200, null]);
  const [row] = await t.db.query(`SELECT * FROM submission WHERE id = $1`, [answer.body.id]);
  return row as Row;
}

test.each([
  'A text',
  'Reply buttons',
  'A list',
  'A location request',
  'An image',
  'A video',
  'A document',
] as const)('%s is stored as it was sent, and answered by its message', async (name) => {
  const { type, to, recipient_type: _, from, ...content } = CHAT_BODIES[name];

  const answer = await send({ ...CHAT_BODIES[name], from: `+${from}`, to: `+${to}` });

  const { id } = answer.body;
  expect(answer.body).toEqual({
    id,
    data: [{ recipient: to, messageId: `${id}:1` }],
    totalCount: 1,
    message: 'The message was accepted.',
    error: null,
  });
  expect(answer.headers).not.toHaveProperty('ignored-fields');
  expect(await stored(answer)).toMatchObject({
    channel: 'chatapp',
    kind: type,
    lane: 'CHAT',
    sender: FROM,
    recipients: [to],
    content,
  });
});

test.each([
  ['no header and no values', 'utility_simple', {}, { params: [] }],
  ['no values, said so', 'utility_simple', filled([]), { params: [] }],
  [
    'values',
    'order_details',
    filled(['Asha', 'A1', '{{1}}', '', '5 May']),
    { params: ['Asha', 'A1', '{{1}}', '', '5 May'] },
  ],
  [
    'values of a body and a button',
    'marketing_text_header',
    filled(['Asha', 'SUN25', 'x']),
    { params: ['Asha', 'SUN25', 'x'] },
  ],
  ['values of cards', 'carousel', filled(['Asha', 'Asha']), { params: ['Asha', 'Asha'] }],
  ['no values, though with a form', 'flow', {}, { params: [] }],
  ...(['image', 'video', 'document'] as const).map((type) => {
    const file = {
      link: `https://example.com/a.${type === 'image' ? 'JPG' : 'bin'}`,
      ...(type === 'document' && { filename: 'a.pdf' }),
    };
    const header = { type, [type]: { ...file, provider: { name: 'cdn' } } };
    const name = type === 'document' ? 'utility_document' : `marketing_${type}`;
    return [
      `a header of the type ${type}`,
      name,
      filled(['Asha', '7'], header),
      { params: ['Asha', '7'], header },
    ] as const;
  }),
])(
  'a template with %s is stored with its version and its values',
  async (_name, templateName, more, values) => {
    const row = await stored(await sendTemplate(templateName, { ...more, campaignName: 'Spring' }));

    const sample = { ...TEMPLATE_SAMPLES, ...MEDIA }[templateName]!;
    const template = {
      name: templateName,
      language: sample.language,
      category: sample.category.toUpperCase(),
      version: 1,
      ...values,
    };
    expect(row).toMatchObject({ kind: 'template', lane: 'CHAT', sealed: null, campaign: 'Spring' });
    expect(row.content).toEqual({ template: { id: expect.any(String), ...template } });
  },
);

test('a code is stored sealed and sent in its own lane', async () => {
  for (const more of [{}, filled([]), filled(['73X91Q'])]) {
    const row = await stored(
      await sendTemplate('copy_code', { otp: '73X91Q', language: { code: 'en_US' }, ...more }),
    );

    expect([row.lane, row.content['template']!['params']]).toEqual(['CHAT_OTP', []]);
    expect(row.sealed).toBeInstanceOf(Buffer);
    expect(JSON.stringify([row, row.sealed!.toString('latin1')])).not.toContain('73X91Q');
  }
  expectFailure(await sendTemplate('copy_code'), 400, 'invalid_request', ['otp required']);
  expectFailure(
    await sendTemplate('copy_code', { otp: '1234', ...filled(['1235']) }),
    422,
    'template_parameters_mismatch',
    ['components.body.params not_allowed_value'],
  );
});

test('values that a template does not use are named and not stored', async () => {
  const header = { type: 'text', text: 'Hello' };
  const answer = await sendTemplate('flow', { otp: '1234', ...filled([], header), colour: 'red' });

  expect(answer.headers['ignored-fields']).toBe('colour, otp, components.header.text');
  expect((await stored(answer)).content['template']).not.toHaveProperty('header');
  const captioned = await send({
    ...CHAT_BODIES['A document'],
    document: { link: 'https://example.com/a.pdf', caption: 'A' },
    image: {},
  });
  expect(captioned.headers['ignored-fields']).toBe('image, document.caption');
  expect((await stored(captioned)).content).toEqual({ document: { link: 'https://example.com/a.pdf' } });
});

test('a text header with a placeholder is filled by its text', async () => {
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' },
    { type: 'BODY', text: 'Order {{1}}' },
  ];
  await addTemplate(t, 'greeting', { category: 'UTILITY', language: 'en', components }, 'approve');
  const header = { type: 'text', text: '{{1}} & co' };

  expect(
    (await stored(await sendTemplate('greeting', filled(['A1'], header)))).content['template'],
  ).toMatchObject({ header });
  expect(
    await preview({ ...GOOD_TEXT, type: 'template', templateName: 'greeting', ...filled(['A1'], header) }),
  ).toEqual({
    header: { type: 'text', text: 'Hi {{1}} & co' },
    body: 'Order A1',
  });
  expectFailure(await sendTemplate('greeting', filled(['A1'])), 422, 'template_header_mismatch', [
    'components.header required',
  ]);
});

test('the language selects the template, by default the oldest approved one', async () => {
  const sample = TEMPLATE_SAMPLES['utility_simple']!;
  await addTemplate(t, 'spoken', { ...sample, language: 'ta' });
  await addTemplate(t, 'spoken', { ...sample, language: 'hi' }, 'approve');
  await addTemplate(t, 'spoken', { ...sample, language: 'en' }, 'approve');
  const languageOf = async (more: object) =>
    (await stored(await sendTemplate('spoken', more))).content['template']!['language'];

  expect([await languageOf({}), await languageOf({ language: { code: 'en' } })]).toEqual(['hi', 'en']);
  expectFailure(await sendTemplate('spoken', { language: { code: 'ta' } }), 409, 'template_not_approved');
  expectFailure(await sendTemplate('spoken', { language: { code: 'de' } }), 404, 'template_not_found');
});

test('an edited template is sent as approved until its review', async () => {
  const id = await addTemplate(t, 'edited', TEMPLATE_SAMPLES['utility_simple']!, 'approve');
  const [{ account_id: accountId }] = await t.db.query(`SELECT account_id FROM template WHERE id = $1`, [id]);
  const content = {
    category: 'UTILITY' as const,
    components: [{ type: 'BODY', text: 'Hi {{1}}' }],
    allowCategoryChange: false,
    codeExpirationMinutes: null,
  };
  await editTemplate(t.db, accountId, { id, version: 1 }, content, 'test');

  expect((await stored(await sendTemplate('edited'))).content['template']).toMatchObject({ id, version: 1 });
});

test('a repeat gets the first answer, even after its template is deleted', async () => {
  const id = await addTemplate(t, 'fleeting', TEMPLATE_SAMPLES['utility_simple']!, 'approve');
  const body = { from: FROM, to: '919800000100', type: 'template', templateName: 'fleeting' };
  const first = await send(body, { 'idempotency-key': 'chat 1' });
  const [{ account_id: accountId }] = await t.db.query(`SELECT account_id FROM template WHERE id = $1`, [id]);
  await deleteTemplate(t.db, accountId, id, 'test');
  await waitFor(async () => (await send(body)).status === 404, {
    otherwise: 'the template was not gone',
  });

  const again = await send(body, { 'idempotency-key': 'chat 1' });
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  expectFailure(await send(GOOD_TEXT, { 'idempotency-key': 'chat 1' }), 422, 'idempotency_key_reused');
});

test('a scheduled message is sent at its time and expires at its time', async () => {
  const [sendAt, expiresAt] = [60, 120].map((minutes) => new Date(Date.now() + minutes * 60_000));
  const row = await stored(await send({ ...GOOD_TEXT, sendAt, expiresAt, clientRef: 'order 7' }));
  expect(row).toMatchObject({ waits: true, due_at: sendAt, expires_at: expiresAt, client_ref: 'order 7' });
});

test.each([
  ['copy_code', 10],
  ['autofill', 15],
])('a code of the template %s expires after %i minutes by default', async (name, minutes) => {
  const endsAt = async (more: object): Promise<number> => {
    const { body } = await sendTemplate(name, { otp: '73X91Q', ...more });
    const [row] = await t.db.query(
      `SELECT round(extract(epoch FROM expires_at - due_at) / 60)::integer AS minutes FROM submission WHERE id = $1`,
      [body.id],
    );
    return (row as { minutes: number }).minutes;
  };
  const sendAt = new Date(Date.now() + 3_600_000);
  expect([await endsAt({}), await endsAt({ sendAt })]).toEqual([minutes, minutes]);
  expect(await endsAt({ sendAt, expiresAt: new Date(sendAt.getTime() + 120_000) })).toBe(2);
});

test('an opted-out recipient gets templates with codes only', async () => {
  const to = '919800000990';
  await t.call({ path: '/v1/opt-outs', body: { recipient: to } });

  expectFailure(await send({ ...GOOD_TEXT, to }), 409, 'recipient_opted_out');
  expectFailure(
    await t.call({ path: '/v1/chatapp?dryRun=true', body: { ...GOOD_TEXT, to } }),
    409,
    'recipient_opted_out',
  );
  expect(
    (await send({ from: FROM, to, type: 'template', templateName: 'copy_code', otp: '123456' })).status,
  ).toBe(200);
});

test('an enforced session window admits only templates outside of it', async () => {
  const apikey = await t.addKey('Windows');
  const account = await t.call<{ id: number }>({
    path: '/v1/chat-accounts',
    body: { name: 'w' },
    headers: { apikey },
  });
  const [id, from] = [account.body.data.id, '15550100777'];
  await t.call({ path: `/v1/chat-accounts/${id}/senders`, body: { msisdn: from }, headers: { apikey } });
  const body = { ...GOOD_TEXT, from };
  const write = (hoursAgo: number): Promise<unknown> =>
    t.db.query(
      `INSERT INTO chat_pair (account_id, sender, recipient, last_inbound_at)
       SELECT account_id, msisdn, $1, now() - $2 * interval '1 hour' FROM chat_sender WHERE msisdn = $3
       ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE SET last_inbound_at = EXCLUDED.last_inbound_at`,
      [body.to, hoursAgo, from],
    );
  await t.db.query(`UPDATE chat_account SET session_window = 'enforce' WHERE id = $1`, [id]);

  expectFailure(await send(body, { apikey }), 409, 'session_window_closed');
  await write(24.1);
  expectFailure(await send(body, { apikey }), 409, 'session_window_closed');
  await write(23.9);
  expect((await send(body, { apikey })).status).toBe(200);
  expectFailure(
    await send({ from, to: body.to, type: 'template', templateName: 'x' }, { apikey }),
    404,
    'template_not_found',
  );
});

test('a message replies to one that a simulator has taken, and not before', async () => {
  const { id } = (await send(GOOD_TEXT)).body;
  const reply = () => send({ ...GOOD_TEXT, context: { messageId: `${id}:1` } });
  await t.db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until)
     SELECT id, 1, account_id, recipients[1], 'PENDING', 1, now() FROM submission WHERE id = $1`,
    [id],
  );
  const take = (gateway: string): Promise<unknown> =>
    t.db.query(
      `UPDATE message SET status = 'SENT', sent_at = now(), gateway = $2
        WHERE submission_id = $1`,
      [id, gateway],
    );

  expectFailure(await reply(), 404, 'message_not_found');
  await take('whatsapp-1');
  expectFailure(await reply(), 404, 'message_not_found');
  await take('chat-simulator');
  expect((await stored(await reply())).content).toMatchObject({ context: { gatewayMessageId: `${id}:1` } });
});

test('senders and templates of another account look like absent ones', async () => {
  const apikey = await t.addKey('Strangers');
  const foreign = await send(GOOD_TEXT, { apikey });
  const unknown = await send({ ...GOOD_TEXT, from: '15550100009' }, { apikey });
  expectFailure(foreign, 404, 'sender_not_found');
  expect(sameForAll(foreign)).toBe(sameForAll(unknown));

  const account = await t.call<{ id: number }>({
    path: '/v1/chat-accounts',
    body: { name: 's' },
    headers: { apikey },
  });
  await t.call({
    path: `/v1/chat-accounts/${account.body.data.id}/senders`,
    body: { msisdn: '15550100778' },
    headers: { apikey },
  });
  const template = { from: '15550100778', to: '919800000100', type: 'template' };
  const others = await send({ ...template, templateName: 'utility_simple' }, { apikey });
  expectFailure(others, 404, 'template_not_found');
  expect(sameForAll(others)).toBe(
    sameForAll(await send({ ...template, templateName: 'never_was' }, { apikey })),
  );
});

test('a dry run shows the message to the caller and stores nothing', async () => {
  const before = await t.countRows();
  const body = { from: FROM, to: '919800000100', type: 'template', templateName: 'copy_code', otp: '4839' };

  expect(await preview(body)).toEqual({
    body: '4839 is your verification code. For your security, do not share this code.',
    footer: 'This code expires in 10 minutes.',
    buttons: [{ type: 'OTP', text: 'Copy code', otp_type: 'COPY_CODE', code: '4839' }],
  });
  expect(await preview(CHAT_BODIES['An image'])).toEqual({
    header: { type: 'image', link: 'https://example.com/hat.png' },
    body: 'The hat you asked about',
  });
  expect(await t.countRows()).toEqual(before);
});

test('a message shows what its dry run showed, but a code never', async () => {
  const given = { from: FROM, to: '919800000100' };
  const bodies = [
    CHAT_BODIES['An image'],
    CHAT_BODIES['A list'],
    { ...given, type: 'template', templateName: 'marketing_text_header', ...filled(['Asha', 'SUN25', 'x']) },
    { ...given, type: 'template', templateName: 'carousel', ...filled(['Asha', '{{1}}']) },
  ];
  for (const body of bodies) expect((await shown(await send(body))).rendered).toEqual(await preview(body));

  expect(await shown(await sendTemplate('copy_code', { otp: '4839' }))).toMatchObject({
    isCode: true,
    text: null,
    rendered: null,
  });
});
