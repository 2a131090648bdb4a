import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as openRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { MEDIA_FILES, pngFile } from '@signalbox/test/media-samples';
import { startS3 } from '../../../libs/gateways/test/s3-server.ts';
import { type Answer, type ApiUnderTest, expectFailure, sameForAll, startApi } from './api-under-test.ts';

const PATH = '/v1/chatapp/generateHeaderHandle';
const MB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-media-'));

let t: ApiUnderTest;
let chatAccountId: number;

beforeAll(async () => {
  t = await startApi({ env: { MEDIA_DIR: folder } });
  chatAccountId = (await t.call<{ id: number }[]>({ method: 'GET', path: '/v1/chat-accounts' })).body.data[0]!
    .id;
});
afterEach(() => {
  const unfinished = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.part')) : [];
  if (unfinished.length > 0) throw new Error('an upload left something behind');
});
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Part {
  name?: string | null;
  fileName?: string | null;
  type?: string | null;
  content: Buffer | string;
}

const BOUNDARY = 'boundary-of-a-form';

function part({ name = 'file', fileName = 'a.bin', type = null, content }: Part): Buffer {
  const disposition = [
    'form-data',
    ...(name === null ? [] : [`name="${name}"`]),
    ...(fileName === null ? [] : [`filename="${fileName}"`]),
  ];
  const head = [
    `content-disposition: ${disposition.join('; ')}`,
    ...(type === null ? [] : [`content-type: ${type}`]),
  ];
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${head.join('\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
}

const form = (...parts: Part[]): Buffer =>
  Buffer.concat([...parts.map(part), Buffer.from(`--${BOUNDARY}--\r\n`)]);
const post = (body: Buffer, headers: Record<string, string | null> = {}): Promise<Answer<string>> =>
  t.call({
    path: PATH,
    body,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  });
const upload = (
  content: Buffer | string,
  more: Partial<Part> = {},
  apikey = t.p.apiKey,
): Promise<Answer<string>> => post(form({ ...more, content }), { apikey });

interface Row {
  id: string;
  kind: string;
  mimeType: string;
  sizeBytes: number;
}

const rows = (): Promise<Row[]> =>
  t.db.query(`SELECT id, kind, mime_type AS "mimeType", size_bytes AS "sizeBytes" FROM media ORDER BY id`);
const header = (format: string, handle: string): object => ({
  type: 'HEADER',
  format,
  example: { header_handle: [handle] },
});
const BODY = { type: 'BODY', text: 'See what is attached' };

function createTemplate(
  name: string,
  components: object[],
  apikey = t.p.apiKey,
  account = chatAccountId,
): Promise<Answer<{ id: string }[]>> {
  const body = { name, category: 'MARKETING', chatAccountId: account, components };
  return t.call({ path: '/v1/chatapp/createChatTemplate', body, headers: { apikey } });
}

test.each([
  ['png', 'IMAGE', 'image/png'],
  ['jpeg', 'IMAGE', 'image/jpeg'],
  ['pdf', 'DOCUMENT', 'application/pdf'],
  ['mp4', 'VIDEO', 'video/mp4'],
] as const)(
  'a %s is stored as it came, and a template shows it by its handle',
  async (name, kind, mimeType) => {
    const file = MEDIA_FILES[name];

    const stored = await upload(file, { type: mimeType, fileName: `photo.${name}` });

    expect([stored.status, stored.body]).toEqual([
      200,
      { data: expect.stringMatching(/^[\w-]{32}$/), error: null, message: 'The file was stored.' },
    ]);
    const last = (await rows()).at(-1)!;
    expect(last).toEqual({ id: last.id, kind, mimeType, sizeBytes: file.length });
    expect(readFileSync(join(folder, last.id))).toEqual(file);
    expect((await createTemplate(`with_${name}`, [header(kind, stored.body.data), BODY])).status).toBe(200);
    expectFailure(
      await createTemplate(`wrong_${name}`, [
        BODY,
        header(kind === 'IMAGE' ? 'VIDEO' : 'IMAGE', stored.body.data),
      ]),
      400,
      'invalid_request',
      ['components[1].example.header_handle[0] media_kind'],
    );
  },
);

const MISNAMED = [
  '../../etc/passwd',
  'CON',
  'a.png\0.exe',
  'n'.repeat(10_240),
  'a%00.png',
  'a\r\nX: y.png',
  '',
  '.',
  '/',
];

test.each(MISNAMED.map((fileName) => [JSON.stringify(fileName).slice(0, 30), fileName]))(
  'a file named %s gets a name of ours',
  async (_, fileName) => {
    const before = readdirSync(folder).length;
    const stored = await upload(MEDIA_FILES.png, { fileName });
    expect([200, 400]).toContain(stored.status);
    expect(readdirSync(folder)).toHaveLength(before + (stored.status === 200 ? 1 : 0));
    for (const name of readdirSync(folder)) expect(name).toMatch(/^[0-9a-f-]{36}$/);
  },
);

const big = (start: Buffer, sizeBytes: number): Buffer =>
  Buffer.concat([start, Buffer.alloc(sizeBytes - start.length)]);
const many = Array.from(
  { length: 1_000 },
  (_, i): Part => ({ name: `field${i}`, fileName: null, content: 'x' }),
);

const refused: [string, () => Buffer, number, string][] = [
  [
    'two files',
    () => form({ content: MEDIA_FILES.png }, { content: MEDIA_FILES.png }),
    400,
    'malformed_multipart',
  ],
  ['1,000 parts', () => form(...many), 400, 'malformed_multipart'],
  ['an empty field name', () => form({ name: '', content: MEDIA_FILES.png }), 400, 'file_required'],
  ['no field name', () => form({ name: null, content: MEDIA_FILES.png }), 400, 'file_required'],
  ['another field name', () => form({ name: 'files', content: MEDIA_FILES.png }), 400, 'file_required'],
  ['a field in place of the file', () => form({ fileName: null, content: 'x' }), 400, 'file_required'],
  ['an empty form', () => Buffer.from(`--${BOUNDARY}--\r\n`), 400, 'file_required'],
  ['no form at all', () => Buffer.from('hello'), 400, 'malformed_multipart'],
  [
    'a form that breaks off',
    () => form({ content: MEDIA_FILES.png }).subarray(0, -40),
    400,
    'malformed_multipart',
  ],
  [
    'a form that breaks off in its head',
    () => Buffer.from(`--${BOUNDARY}\r\ncontent-dispo`),
    400,
    'malformed_multipart',
  ],
  ['no bytes', () => form({ content: '' }), 400, 'file_empty'],
  [
    'HTML named .png',
    () => form({ type: 'image/png', fileName: 'a.png', content: '<!doctype html><p>hello</p>'.repeat(9) }),
    400,
    'file_type_not_allowed',
  ],
  [
    'PNG declared PDF',
    () => form({ type: 'application/pdf', content: MEDIA_FILES.png }),
    400,
    'file_type_mismatch',
  ],
  ['GIF', () => form({ content: `GIF89a${'g'.repeat(50)}` }), 400, 'file_type_not_allowed'],
  ['a PNG of 60,000 by 60,000', () => form({ content: pngFile(60_000, 60_000) }), 400, 'file_corrupt'],
  [
    'ZIP named .pdf',
    () => form({ type: 'application/pdf', fileName: 'a.pdf', content: `PK\x03\x04${'z'.repeat(50)}` }),
    400,
    'file_type_not_allowed',
  ],
  ['a JPEG cut short', () => form({ content: MEDIA_FILES.jpeg.subarray(0, -2) }), 400, 'file_corrupt'],
  ['a video cut short', () => form({ content: MEDIA_FILES.mp4.subarray(0, -5) }), 400, 'file_corrupt'],
  ['an image over 5 MB', () => form({ content: big(MEDIA_FILES.png, 5 * MB + 1) }), 413, 'file_too_large'],
  ['a video over 16 MB', () => form({ content: big(MEDIA_FILES.mp4, 16 * MB + 1) }), 413, 'file_too_large'],
];

test.each(refused)('%s is refused and leaves nothing behind', async (_, body, status, code) => {
  const [files, stored] = [readdirSync(folder), await rows()];

  expectFailure(await post(body()), status, code);

  expect(readdirSync(folder)).toEqual(files);
  expect(await rows()).toEqual(stored);
  expect((await upload(MEDIA_FILES.png)).status).toBe(200);
});

test('a body that is no form is refused, and so is a form on another path', async () => {
  expectFailure(await t.call({ path: PATH, body: {} }), 415, 'unsupported_media_type');
  expectFailure(
    await t.call({ path: PATH, headers: { 'content-type': null } }),
    415,
    'unsupported_media_type',
  );
  expectFailure(
    await post(form({ content: 'x' }), { 'content-type': 'multipart/form-data' }),
    400,
    'malformed_multipart',
  );
  expectFailure(
    await post(form({ content: 'x' }), { 'content-type': 'multipart/mixed; boundary=x' }),
    415,
    'unsupported_media_type',
  );
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  expectFailure(
    await t.call({ path: '/v1/sms', body: form({ content: 'x' }), headers }),
    415,
    'unsupported_media_type',
  );
});

test('the type of a form is read in any case', async () => {
  const headers = { 'content-type': `Multipart/Form-Data; boundary=${BOUNDARY}` };

  expect((await post(form({ content: MEDIA_FILES.png }), headers)).status).toBe(200);
});

test('a missing key or scope uploads nothing', async () => {
  const before = await rows();
  expectFailure(await upload(MEDIA_FILES.png, {}, 'sb_test_x'), 401, 'api_key_invalid');
  expectFailure(await upload(MEDIA_FILES.png, {}, await t.addKey('Demo', ['send'])), 403, 'scope_missing');
  expect(await rows()).toEqual(before);
});

test('a dropped connection leaves nothing behind', async () => {
  const [files, stored] = [readdirSync(folder), (await rows()).length];
  const { port } = new URL(t.p.apiUrl);
  const body = form({ content: big(MEDIA_FILES.pdf, 2 * MB) });
  const headers = {
    apikey: t.p.apiKey,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': body.length,
  };
  const request = openRequest({ host: '127.0.0.1', port, method: 'POST', path: PATH, headers });
  request.on('error', () => undefined);
  request.write(body.subarray(0, MB));
  await waitFor(async () => (await rows()).length === stored + 1, {
    otherwise: 'the upload did not begin',
  });

  request.destroy();

  await waitFor(async () => (await rows()).length === stored, {
    otherwise: 'the row stayed',
  });
  expect(readdirSync(folder)).toEqual(files);
});

test('a handle is valid for its account only, and for 30 days', async () => {
  const { data: handle } = (await upload(MEDIA_FILES.png)).body;
  const apikey = await t.addKey('Another tenant');
  const theirs = (
    await t.call<{ id: number }>({ path: '/v1/chat-accounts', body: { name: 'x' }, headers: { apikey } })
  ).body.data.id;
  const foreign = await createTemplate('foreign', [header('IMAGE', handle), BODY], apikey, theirs);
  expectFailure(foreign, 404, 'media_not_found');
  expect(
    sameForAll(await createTemplate('unknown', [header('IMAGE', 'A'.repeat(32)), BODY], apikey, theirs)),
  ).toBe(sameForAll(foreign));

  await t.db.query(`UPDATE media SET expires_at = now() WHERE handle = $1`, [handle]);
  expectFailure(await createTemplate('expired', [header('IMAGE', handle), BODY]), 404, 'media_not_found');
});

test('an edit keeps a used file whose handle has expired', async () => {
  const { data: handle } = (await upload(MEDIA_FILES.png)).body;
  const id = (await createTemplate('kept_file', [header('IMAGE', handle), BODY])).body.data[0]!.id;
  await t.call({ path: '/v1/chatapp/reviewChatTemplate', body: { id, decision: 'approve' } });
  await t.db.query(`UPDATE media SET expires_at = now() WHERE handle = $1`, [handle]);
  const edit = (components: object[]) =>
    t.call({ path: '/v1/chatapp/editChatTemplate', body: { id, components } });

  expectFailure(await edit([header('IMAGE', 'B'.repeat(32)), BODY]), 404, 'media_not_found');
  expect((await edit([header('IMAGE', handle), { ...BODY, text: 'Other words' }])).status).toBe(200);
});

test('a store that cannot write is an outage until it recovers', async () => {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file in the place of the folder');

  expectFailure(await upload(MEDIA_FILES.png), 503, 'unavailable');

  rmSync(folder);
  expect((await upload(MEDIA_FILES.png)).status).toBe(200);
});

test('with a bucket, files are stored there, and a refused file leaves nothing', async () => {
  await using s3 = await startS3();
  await using other = await startApi({ env: { MEDIA_DIR: folder, MEDIA_S3_URL: s3.url } });
  const send = (content: Buffer): Promise<Answer<string>> =>
    other.call({
      path: PATH,
      body: form({ content }),
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });

  expect((await send(MEDIA_FILES.pdf)).status).toBe(200);
  expectFailure(await send(Buffer.concat([MEDIA_FILES.pdf, Buffer.alloc(7 * MB)])), 400, 'file_corrupt');

  expect([...s3.objects.values()]).toEqual([MEDIA_FILES.pdf]);
  expect(s3.openUploads.size).toBe(0);
  s3.isBroken = true;
  expectFailure(await send(MEDIA_FILES.pdf), 503, 'unavailable');
});

test('a file is downloaded by its account alone, as a file that no browser runs', async () => {
  const page = Buffer.concat([pngFile(2, 2), Buffer.from('<script>alert(1)</script>')]);
  const handle = (await upload(page)).body.data;
  const read = (apikey = t.p.apiKey) =>
    fetch(`${t.p.apiUrl}/v1/chatapp/media/${handle}`, { headers: { apikey } });

  const found = await read();

  expect([found.status, Buffer.from(await found.arrayBuffer()).equals(page)]).toEqual([200, true]);
  expect(Object.fromEntries(found.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(page.length),
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect((await read(await t.addKey('Stranger'))).status).toBe(404);
  expect((await read(await t.addKey('Sender', ['send']))).status).toBe(403);
  const path = '/v1/chatapp/media/unknown';
  expectFailure(await t.call({ method: 'GET', path }), 404, 'media_not_found');
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect((await read()).status).toBe(503);
});
