import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ReceivedPush, type Receiver, startReceiver } from '@signalbox/test/receiver';
import { Webhook } from 'standardwebhooks';
import { type Answer, type ApiUnderTest, GOOD_SMS, expectFailure, startApi } from './api-under-test.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const PATH = '/v1/webhooks';

const started = new AsyncDisposableStack();
const failing = new Set<string>();
let t: ApiUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = started.use(
    await startReceiver((push, response) =>
      response.writeHead(failing.delete(pathOf(push)) ? 500 : 200).end(),
    ),
  );
  t = started.use(await startApi({ workers: ['sms', 'dlr'], gateway: new ScriptedGateway() }));
});
afterAll(() => started.disposeAsync());

interface Created {
  id: string;
  secret: string;
  oldSecretsUntil: string | null;
}

const pathOf = (push: ReceivedPush): string => push.url.split('?')[0] ?? '';

const rotate = (id: string, headers: Record<string, string> = {}): Promise<Answer<Created>> =>
  t.call({ path: `${PATH}/${id}/rotate-secret`, headers });

/** Adds a webhook, and collects its pushes. */
async function setup(name: string, fields: object = {}) {
  const created = await t.call<Created>({
    path: PATH,
    body: { name, endPoint: `${receiver.url}/${name}`, schedule: [1], ...fields },
  });
  expect(created.status).toBe(201);
  const pushes = (): ReceivedPush[] => receiver.received.filter((push) => pathOf(push) === `/${name}`);
  const send = async (): Promise<ReceivedPush> => {
    const before = pushes().length;
    await t.call({ body: GOOD_SMS });
    await receiver.until(() => pushes().length > before);
    return pushes()[before]!;
  };
  const { id, secret } = created.body.data;
  return {
    id,
    secret,
    pushes,
    send,
    [Symbol.asyncDispose]: async () => void (await t.call({ method: 'DELETE', path: `${PATH}/${id}` })),
  };
}

/** Verifies a push with the published package. */
function verify(secret: string, { method, url, body, headers }: ReceivedPush): void {
  new Webhook(secret).verify(method === 'GET' ? url : body, headers as Record<string, string>, {
    jsonParse: false,
  });
}

test.each(['GET', 'POST'])('a %s is signed again at each try, under the same webhook-id', async (method) => {
  await using hook = await setup(`tries-${method}`, { method });
  failing.add(`/tries-${method}`);

  await hook.send();
  await receiver.until(() => hook.pushes().length === 2);

  const [first, second] = hook.pushes() as [ReceivedPush, ReceivedPush];
  for (const push of [first, second]) verify(hook.secret, push);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
  expect(() => verify(hook.secret, { ...second, url: `${second.url}0`, body: `${second.body} ` })).toThrow();
});

test('both secrets sign for a day after a rotation, then only the new one', async () => {
  await using hook = await setup('rotated');

  const { data } = (await rotate(hook.id)).body;
  const during = await hook.send();
  await t.db.query(
    `UPDATE webhook SET old_secrets = jsonb_set(old_secrets, '{0,until}', '"2026-01-01T00:00:00.000Z"') WHERE id = $1`,
    [hook.id],
  );
  const after = await hook.send();

  expect(Date.parse(data.oldSecretsUntil ?? '') - Date.now()).toBeGreaterThan(86_390_000);
  expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of [hook.secret, data.secret]) verify(secret, during);
  expect(after.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  verify(data.secret, after);
  const found = await t.call<Created>({ method: 'GET', path: `${PATH}/${hook.id}` });
  expect([found.body.data.oldSecretsUntil, found.text.includes('whsec_')]).toEqual([null, false]);
});

test('secrets of the last day keep signing, and a repeat rotates nothing', async () => {
  await using hook = await setup('rotated-twice');
  const key = { 'idempotency-key': 'rotate once' };

  const second = await rotate(hook.id, key);
  const repeat = await rotate(hook.id, key);
  const third = await rotate(hook.id);
  const push = await hook.send();

  expect([repeat.headers['idempotent-replayed'], repeat.body]).toEqual(['true', second.body]);
  for (const secret of [hook.secret, second.body.data.secret, third.body.data.secret]) verify(secret, push);
});

test('no secret is readable in the database', async () => {
  await using hook = await setup('sealed');
  const { secret } = (await rotate(hook.id, { 'idempotency-key': 'sealed' })).body.data;

  const rows = JSON.stringify([
    await t.db.query('SELECT * FROM webhook WHERE id = $1', [hook.id]),
    await t.db.query('SELECT * FROM idempotency_key'),
  ]);

  for (const text of [hook.secret, secret].flatMap((each) => [each, each.slice(6)])) {
    expect(rows).not.toContain(text);
    expect(rows).not.toContain(Buffer.from(text).toString('base64'));
  }
});

test('rotating an absent webhook fails', async () => {
  await using hook = await setup('of-one-account');
  const apikey = await t.addKey('Rotating stranger');

  for (const id of [crypto.randomUUID(), 'x']) expectFailure(await rotate(id), 404, 'webhook_not_found');
  expectFailure(await rotate(hook.id, { apikey }), 404, 'webhook_not_found');
});
