import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type EdgeUnderTest, expectEnvelope, post, request, startEdge } from '../../test/edge-under-test.ts';

let t: EdgeUnderTest;

beforeAll(async () => {
  t = await startEdge();
});

afterAll(async () => t[Symbol.asyncDispose]());

test('a forbidden name touches no prototype and is named with its path', async () => {
  const answer = await t.send(post('{"text":"hi","a":[{"__proto__":{"isAdmin":true}}]}'));

  expect(answer.body.error.details).toEqual([
    { field: 'a[0].__proto__', rule: 'forbidden_field', message: 'is not allowed as a name' },
  ]);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('a 400 names every broken rule with its path', async () => {
  const answer = await t.send(post('{"text":5,"type":null,"links":[{"url":"u"},{}]}'));

  expect(answer.body.message).toBe('text must be a string');
  expect(answer.body.error.details).toEqual([
    { field: 'text', rule: 'invalid_type', message: 'must be a string' },
    { field: 'links[1].url', rule: 'required', message: 'is required' },
  ]);
});

test('unknown fields are ignored and named in a header, percent-encoded', async () => {
  const answer = await t.send(post('{"text":"hi","a\\r\\nX: y":1,"links":[{"url":"u","título,":2}]}'));

  expect(answer.body).toEqual({ seen: { text: 'hi', links: [{ url: 'u' }] }, error: null });
  expect(answer.headers['ignored-fields']).toBe('a%0D%0AX:%20y, links[0].t%C3%ADtulo%2C');
});

test('the header names at most 10 ignored fields, and is absent without any', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${'😀'.repeat(100)}${i}`, 1]));

  const answer = await t.send(post(JSON.stringify({ text: 'hi', ...many })));
  const plain = await t.send(post('{"text":"hi"}'));

  expect(answer.headers['ignored-fields']!.split(', ')).toHaveLength(10);
  expect(answer.headers['ignored-fields']!.length).toBeLessThan(1_100);
  expect(plain.headers).not.toHaveProperty('ignored-fields');
});

test.each([
  ['its media type in any case', '{"text":"hi"}', { 'content-type': 'Application/JSON; charset=UTF-8' }],
  ['a byte order mark', '\ufeff{"text":"hi"}', {}],
  [
    "curl's type and the spec's contentType header",
    '{"text":"hi"}',
    { 'content-type': 'application/x-www-form-urlencoded', contentType: 'application/json' },
  ],
  [
    "fetch's type and the spec's contentType header",
    '{"text":"hi"}',
    { 'content-type': 'text/plain;charset=UTF-8', contentType: 'application/json' },
  ],
  [
    "just the spec's contentType header",
    '{"text":"hi"}',
    { 'content-type': null, contentType: 'application/json' },
  ],
  ['identity as its encoding', '{"text":"hi"}', { 'content-encoding': 'identity' }],
  ['an unknown expectation', '{"text":"hi"}', { expect: 'miracles' }],
])('a JSON body with %s is read', async (_name, body, headers) => {
  expect((await t.send(post(body, headers))).status).toBe(200);
});

test('an endpoint without a body accepts none', async () => {
  expect((await t.send(request('POST /v1/pings', { 'content-length': '0' }))).status).toBe(201);
  expect(
    (await t.send(request('POST /v1/pings', { 'content-length': '0', 'content-type': 'application/json' })))
      .status,
  ).toBe(201);
});

test('an empty body of any type is accepted where no body is needed', async () => {
  const types = ['application/x-www-form-urlencoded', 'text/plain', 'application/xml'];
  const answers = types.map((type) =>
    t.send(request('POST /v1/pings', { 'content-length': '0', 'content-type': type })),
  );

  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201, 201]);
});

test('the body of a GET is ignored, and HTTP/1.0 may omit its Host', async () => {
  const withBody = await t.send(
    request('GET /v1/greetings?limit=5', { 'content-type': 'text/x', 'content-length': '1' }, '{'),
  );
  const old = await t.send('GET /v1/greetings/7 HTTP/1.0\r\n\r\n');

  expect(withBody.body).toEqual({ page: { limit: 5 } });
  expect(old.body).toEqual({ id: '7' });
});

test('an id in a path may have any length that fits the head', async () => {
  const id = 'x'.repeat(10_000);

  expect((await t.send(request(`GET /v1/greetings/${id}`))).body).toEqual({ id });
});

test('a parameter that is given twice is refused as such', async () => {
  const answer = await t.send(request('GET /v1/greetings?limit=1&limit=2'));

  expect(answer.body).toMatchObject({
    error: { details: [{ field: 'limit', rule: 'invalid_type', message: 'must be given once' }] },
  });
});

test('405 names the methods that the path answers', async () => {
  const { headers, body } = await t.send(request('DELETE /v1/greetings'));
  expect(headers['allow']).toBe('GET, HEAD, POST');
  expect(body).toMatchObject({
    message: 'The path does not accept DELETE. It accepts GET, HEAD, POST.',
  });
  expect((await t.send(request('POST /v1/greetings/7', { 'content-length': '0' }))).headers['allow']).toBe(
    'GET, HEAD',
  );
});

test('every answer has its own request id, and a failure leaves the connection usable', async () => {
  const answers = await t.sendAll(
    Buffer.concat([post('{'), request('PUT /v1/greetings'), post('{"text":"hi"}')]),
    { answers: 3 },
  );

  expect(answers.map(({ status }) => status)).toEqual([400, 405, 200]);
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/);
});

test.each([
  ['too large', post(`{"text":"${'x'.repeat(20_000)}"}`).subarray(0, 300), 413],
  ['of a wrong type', post('{"text"', { 'content-type': 'text/css', 'content-length': '5000' }), 415],
  ['for another method', request('PUT /v1/greetings', { 'content-length': '5000' }), 405],
])(
  'an answer before a body %s closes the connection while its sender writes on',
  async (_, bytes, status) => {
    const socket = connect(t.port, '127.0.0.1');
    const drip = setInterval(() => socket.writable && socket.write('x'), 20);
    socket.on('error', () => undefined);
    socket.write(bytes);

    const received = Buffer.concat((await socket.toArray().catch(() => [])) as Buffer[]).toString();
    clearInterval(drip);

    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} .*^connection: close`, 'msi'));
  },
);

test('a request behind a refused body is not served', async () => {
  const tooLarge = post(`{"text":"${'x'.repeat(20_000)}"}`);

  const answers = await t.sendAll(Buffer.concat([tooLarge, post('{"text":"hi"}')]), { answers: 2 });

  expect(answers.map(({ status }) => status)).toEqual([413]);
});

test('a client that ends its side after the request gets its answer', async () => {
  expect(await t.send(post('{"text":"hi"}'), { half: true })).toMatchObject({
    status: 200,
    body: { seen: { text: 'hi' } },
  });
});

test('a client that ends its side while it waits gets its answer', async () => {
  const waiting = request('POST /v1/farewells', { 'content-length': '0' });

  expect(await t.send(waiting, { half: true })).toMatchObject({ status: 201 });
});

test('garbage after a request does not replace its answer', async () => {
  const answers = await t.sendAll(Buffer.concat([post('{"text":"hi"}'), Buffer.from('garbage\r\n\r\n')]), {
    answers: 2,
  });

  expect(answers.map(({ status }) => status)).toEqual([200]);
  expect(answers[0]!.headers['connection']).toBe('close');
});

test('a body that keeps coming after its 413 gets no second answer', async () => {
  const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`;
  const endless = post(chunk, { 'content-length': null, 'transfer-encoding': 'chunked' });

  const answers = await t.sendAll(endless, { drip: chunk, answers: 2 });

  expect(answers.map(({ status }) => status)).toEqual([413]);
});

test('a failure carries its extra members, and Retry-After in whole seconds', async () => {
  const wrong = await t.send(request('GET /v1/failures/limit'));
  const wait = await t.send(request('GET /v1/failures/wait'));

  expectEnvelope(wrong, 400, 'otp_incorrect');
  expect(wrong.body.error).toMatchObject({ attemptsRemaining: 3, retryable: false, details: [] });
  expectEnvelope(wait, 429, 'rate_limited');
  expect(wait.headers['retry-after']).toBe('2');
});

test('a value that Postgres refuses is a 400, logged as a bug', async () => {
  t.logged.length = 0;

  const answer = await t.send(request('GET /v1/failures/value'));

  expectEnvelope(answer, 400, 'invalid_request');
  expect(t.logged).toEqual([
    {
      level: 'error',
      fields: {
        requestId: answer.body.error.requestId,
        error: expect.objectContaining({ code: '22008' }),
      },
    },
  ]);
});

test('an outage is a 503 and a bug a 500, whose causes are logged and not shown', async () => {
  t.logged.length = 0;

  const outage = await t.send(request('GET /v1/failures/store'));
  const bug = await t.send(request('GET /v1/failures/bug'));
  const nest = await t.send(request('GET /v1/failures/nest'));

  expectEnvelope(outage, 503, 'unavailable');
  expect(outage.headers['retry-after']).toBe('1');
  expectEnvelope(bug, 500, 'internal_error');
  expectEnvelope(nest, 404, 'route_not_found');
  expect(JSON.stringify([outage.body, bug.body, nest.body])).not.toMatch(/SELECT|5432|spec\.ts/);
  expect(t.logged).toEqual([
    {
      level: 'warn',
      fields: {
        requestId: outage.body.error.requestId,
        error: expect.objectContaining({ code: 'ECONNREFUSED' }),
      },
    },
    {
      level: 'error',
      fields: { requestId: bug.body.error.requestId, error: new Error('SELECT secret FROM account') },
    },
  ]);
});
