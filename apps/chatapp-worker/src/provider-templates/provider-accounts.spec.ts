import { expect, test } from '@jest/globals';
import { graphError } from '@signalbox/test/graph-server';
import { BODY, PNG, addGateway, creates, openProvider } from '../../test/provider-under-test.ts';

test('a template is registered with its samples, and Meta’s states come back by comparison', async () => {
  await using t = await openProvider();
  const id = await t.create({
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['you'] } },
      BODY,
      { type: 'FOOTER', text: 'Bye' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15550100001' },
          { type: 'URL', text: 'Track', url: 'https://example.com/t/{{3}}' },
          { type: 'CATALOG_ITEM', text: 'View' },
        ],
      },
    ],
  });
  await t.registered(id);

  expect([...t.graph.templates.values()]).toMatchObject([
    {
      name: 'order',
      language: 'en',
      category: 'UTILITY',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['you'] } },
        { type: 'BODY', text: 'Hi {{1}}, order {{2}}', example: { body_text: [['Ann', 'A-1']] } },
        { type: 'FOOTER', text: 'Bye' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100001' },
            {
              type: 'URL',
              text: 'Track',
              url: 'https://example.com/t/{{1}}',
              example: ['https://example.com/t/sample%203'],
            },
            { type: 'SPM', text: 'View' },
          ],
        },
      ],
    },
  ]);
  expect(await t.find(id)).toMatchObject({ status: 'PENDING', registration: { status: 'PENDING' } });
});

test('the file of a header is uploaded by a session, and continues where it broke off', async () => {
  await using t = await openProvider();
  await t.addMedia('our-handle');
  let isCut = false;
  t.graph.intercept = (request) => {
    if (request.method !== 'POST' || !request.path.startsWith('/upload:') || isCut) return undefined;
    isCut = true;
    t.graph.uploads.get(request.path)!.bytes = request.raw.subarray(0, 1_000);
    return { cut: true };
  };
  const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['our-handle'] } };
  await t.registered(await t.create({ components: [header, BODY] }));

  const [upload] = [...t.graph.uploads.values()];
  expect(upload!.bytes.equals(PNG)).toBe(true);
  expect([...t.graph.templates.values()]).toMatchObject([
    { components: [{ format: 'IMAGE', example: { header_handle: [upload!.handle] } }, {}] },
  ]);
});

test('a file that the store has lost is named by the registration', async () => {
  await using t = await openProvider({ hasFile: false });
  await t.addMedia('lost-handle');
  const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['lost-handle'] } };
  const id = await t.create({ components: [header, BODY] });
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  expect((await t.find(id)).registration?.problem).toContain('cannot be read');
});

test.each([
  ['copies the code without an app', {}, { type: 'OTP', otp_type: 'COPY_CODE' }],
  [
    'hands the code to the app of the gateway',
    { otpApp: { packageName: 'com.example.app', signatureHash: 'K8a/AINcGX7' } },
    {
      type: 'OTP',
      otp_type: 'ONE_TAP',
      supported_apps: [{ package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' }],
    },
  ],
])('the button of a code %s, and Meta writes the text', async (_name, settings, button) => {
  await using t = await openProvider({ settings });
  const components = [
    { type: 'BODY', text: '{{1}} is your code. Do not share it.' },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'AUTO_FILL' }] },
  ];
  await t.registered(await t.create({ category: 'AUTHENTICATION', components, codeExpirationMinutes: 5 }));
  expect([...t.graph.templates.values()].map((each) => each['components'])).toEqual([
    [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS', buttons: [button] },
    ],
  ]);
});

test('a refusal by Meta rejects the template with Meta’s words', async () => {
  await using t = await openProvider();
  t.graph.intercept = (request) =>
    creates(request)
      ? graphError(100, { error_user_msg: 'The body has too many variables\u0000 for its length.' })
      : undefined;
  const id = await t.create();
  await t.run(async () => (await t.find(id)).status === 'REJECTED');
  expect((await t.find(id)).rejectionReason).toBe('The body has too many variables for its length.');
});

test('while Meta is unavailable the template waits, and its registration says why', async () => {
  await using t = await openProvider();
  t.graph.intercept = (request) => (creates(request) ? graphError(190, {}, 401) : undefined);
  const id = await t.create();
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  expect(await t.find(id)).toMatchObject({ status: 'PENDING', registration: { problem: '(#190) Refused' } });
  t.graph.intercept = () => undefined;
  await t.registered(id);
});

test('an edit is made at Meta, and a deletion follows', async () => {
  await using t = await openProvider();
  const id = await t.create();
  await t.registered(id);
  const [template] = [...t.graph.templates.values()];
  template!.status = 'APPROVED';
  await t.restart();
  await t.run(async () => (await t.find(id)).status === 'APPROVED');

  await t.edit(id, { components: [{ type: 'BODY', text: 'Bye' }] });
  await t.run(async () => template!.status === 'PENDING');
  expect(template!['components']).toEqual([{ type: 'BODY', text: 'Bye' }]);

  await t.remove(id);
  await t.run(async () => t.graph.templates.size === 0);
});

test('a gateway that hangs delays no other', async () => {
  await using hanging = await openProvider();
  hanging.graph.intercept = () => ({ silent: true });
  await using t = await openProvider();
  await addGateway('a-hanging', hanging.graph.url);
  await t.registered(await t.create());
  expect(hanging.graph.requests.length).toBeGreaterThan(0);
});
