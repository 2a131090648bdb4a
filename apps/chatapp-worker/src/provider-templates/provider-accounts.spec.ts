import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { insertGateway } from '@signalbox/database/gateways/gateways';
import {
  deleteTemplate,
  editTemplate,
  findTemplate,
  insertTemplates,
} from '@signalbox/database/templates/templates';
import { gatewayRow } from '@signalbox/domain/sealed-rows';
import type { TemplateContent } from '@signalbox/domain/templates/template';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { graphError, graphRow, startGraph } from '@signalbox/test/graph-server';
import { addSender } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { ProviderAccounts } from './provider-accounts.ts';
import { SampleFiles } from './sample-files.ts';
import { TemplateRegistrar } from './template-registrar.ts';

const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(3_000, 7),
]);
const SEALER = new Sealer(randomBytes(32).toString('base64'));
const LOGGER = createLogger('test', 'silent');
const BODY = { type: 'BODY', text: 'Hi {{1}}, order {{2}}', example: { body_text: [['Ann', 'A-1']] } };
const CONTENT: TemplateContent = {
  category: 'UTILITY',
  components: [BODY],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};

const rows = await openSharedRows();

/** Keeps one file in memory. */
class OneFile extends MediaStore {
  constructor(private readonly file: Buffer) {
    super();
  }

  async write(): Promise<void> {}

  async read(_id: string, offset = 0): Promise<Readable> {
    return Readable.from([this.file.subarray(offset)]);
  }

  async remove(): Promise<void> {}
}

let setups = 0;

/** Adds an account with a chat account and its number. */
async function addAccount(msisdn: string) {
  const { db } = rows;
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(db, accountId, msisdn);
  return { accountId, chatAccountId };
}

/** Adds a gateway to a fake. */
async function addGateway(name: string, url: string, settings: object = {}): Promise<void> {
  const row = graphRow(url);
  const id = randomUUIDv7();
  await insertGateway(rows.db, {
    id,
    name,
    channel: 'chatapp',
    kind: 'cloud-api',
    settings: { ...row.settings, ...settings },
    sealedSecrets: SEALER.seal(JSON.stringify(row.secrets), gatewayRow(id)),
    ratePerSecond: null,
    enabled: true,
    paused: false,
    source: 'api',
  });
}

/** Acts on the templates of an account as its owner does. */
function templatesOf({ accountId, chatAccountId }: Awaited<ReturnType<typeof addAccount>>) {
  const { db } = rows;
  const find = async (id: string) => (await findTemplate(db, accountId, id))!;
  return {
    find,
    create: async (content: Partial<TemplateContent> & { name?: string } = {}): Promise<string> => {
      const template = {
        id: randomUUIDv7(),
        chatAccountId,
        name: 'order',
        language: 'en',
        ...CONTENT,
        ...content,
      };
      expect(await insertTemplates(db, accountId, [template], 'test', new Date())).toEqual([]);
      return template.id;
    },
    edit: async (id: string, content: Partial<TemplateContent>) => {
      const { version } = await find(id);
      return editTemplate(db, accountId, { id, version }, { ...CONTENT, ...content }, 'test');
    },
    remove: (id: string) => deleteTemplate(db, accountId, id, 'test'),
    addMedia: (handle: string) =>
      db.query(
        `INSERT INTO media (id, account_id, handle, kind, mime_type, size_bytes, stored_at, expires_at)
         VALUES ($1, $2, $3, 'IMAGE', 'image/png', $4, now(), now() + interval '1 day')`,
        [randomUUIDv7(), accountId, handle, PNG.length],
      ),
  };
}

/** An account whose number a gateway to a fake serves, and a worker that follows it. */
async function setup({ settings = {} as object } = {}) {
  const { db } = rows;
  await db.query('DELETE FROM gateway');
  setups += 1;
  const msisdn = String(15_550_783_881 + setups);
  const graph = await startGraph(msisdn);
  const templates = templatesOf(await addAccount(msisdn));
  await addGateway(`whatsapp-${setups}`, graph.url, settings);
  const images = new ImageFetcher({ allowPrivate: true });
  const open = (): ProviderAccounts => {
    const files = new SampleFiles(db, new OneFile(PNG), images);
    return new ProviderAccounts(db, SEALER, new TemplateRegistrar(db, files, LOGGER), LOGGER);
  };
  let accounts = open();
  const makeDue = () => db.query(`UPDATE template_registration SET due_at = now()`);
  const run = (isDone: () => Promise<boolean>): Promise<void> =>
    waitFor(
      async () => {
        await db.query(`UPDATE template_registration SET due_at = now() WHERE problem IS NOT NULL`);
        await accounts.run();
        return isDone();
      },
      { otherwise: 'the templates were not brought to the provider' },
    );
  return {
    ...templates,
    graph,
    run,
    registered: (id: string) =>
      run(async () => (await templates.find(id)).registration?.gatewayTemplateId != null),
    /** A worker that dies and another one that starts. */
    restart: async () => {
      await accounts.close();
      await makeDue();
      accounts = open();
    },
    posts: () => graph.requests.filter(creates),
    async [Symbol.asyncDispose]() {
      await accounts.close();
      await images.close();
      await graph[Symbol.asyncDispose]();
    },
  };
}

const creates = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && path.endsWith('/message_templates');

test('a template is registered with its samples, and Meta’s states come back by comparison', async () => {
  await using t = await setup();
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
  await using t = await setup();
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

test('the images of a carousel are fetched and uploaded', async () => {
  await using t = await setup();
  const images = createServer((_request, response) => void response.end(PNG)).listen(0, '127.0.0.1');
  await once(images, 'listening');
  const image_url = `http://127.0.0.1:${(images.address() as AddressInfo).port}/a.png`;
  const card = {
    header: { type: 'IMAGE', image_url },
    body: 'One',
    buttons: [{ type: 'QUICK_REPLY', text: 'More' }],
  };
  await t.registered(await t.create({ components: [BODY, { type: 'CAROUSEL', cards: [card, card] }] }));
  images.closeAllConnections();
  images.close();

  const [upload] = [...t.graph.uploads.values()];
  const shown = {
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: [upload!.handle] } },
      { type: 'BODY', text: 'One' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'More' }] },
    ],
  };
  expect([...t.graph.templates.values()]).toMatchObject([
    { components: [{}, { type: 'CAROUSEL', cards: [shown, shown] }] },
  ]);
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
  await using t = await setup({ settings });
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

test('a worker that dies after the request registers nothing twice', async () => {
  await using t = await setup();
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
  await using t = await setup();
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

test('a refusal by Meta rejects the template with Meta’s words', async () => {
  await using t = await setup();
  t.graph.intercept = (request) =>
    creates(request)
      ? graphError(100, { error_user_msg: 'The body has too many variables\u0000 for its length.' })
      : undefined;
  const id = await t.create();
  await t.run(async () => (await t.find(id)).status === 'REJECTED');
  expect((await t.find(id)).rejectionReason).toBe('The body has too many variables for its length.');
});

test('while Meta is unavailable the template waits, and its registration says why', async () => {
  await using t = await setup();
  t.graph.intercept = (request) => (creates(request) ? graphError(190, {}, 401) : undefined);
  const id = await t.create();
  await t.run(async () => (await t.find(id)).registration?.problem != null);
  expect(await t.find(id)).toMatchObject({ status: 'PENDING', registration: { problem: '(#190) Refused' } });
  t.graph.intercept = () => undefined;
  await t.registered(id);
});

test('an edit is made at Meta, and a deletion follows', async () => {
  await using t = await setup();
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

test('images of one account that never come delay no template of another', async () => {
  await using t = await setup();
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const image_url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a.png`;
  const cards = [{ header: { type: 'IMAGE', image_url }, body: 'One', buttons: [] }];
  const msisdn = '15550900001';
  t.graph.numbers.push({ id: '106549', display_phone_number: `+${msisdn}` });
  const other = templatesOf(await addAccount(msisdn));
  for (let i = 0; i < 8; i += 1)
    await t.create({ name: `slow_${i}`, components: [BODY, { type: 'CAROUSEL', cards }] });
  const id = await other.create();

  await t.run(async () => (await other.find(id)).registration?.gatewayTemplateId != null);
  expect([...t.graph.templates.values()]).toMatchObject([{ name: 'order' }]);

  silent.closeAllConnections();
  silent.close();
});

test('a gateway that hangs delays no other', async () => {
  await using hanging = await setup();
  hanging.graph.intercept = () => ({ silent: true });
  await using t = await setup();
  await addGateway('a-hanging', hanging.graph.url);
  await t.registered(await t.create());
  expect(hanging.graph.requests.length).toBeGreaterThan(0);
});
