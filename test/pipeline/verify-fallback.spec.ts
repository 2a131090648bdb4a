import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE, type QueueBackend, describeOnEachQueue } from '../support/queue.ts';
import { addCodeTemplate } from '../support/code-template.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';

/** The scripts of the simulator: the last four digits of a number choose the outcome. */
const DELIVERED = '919800000100';
const FAILS = '919800000001';
const NEVER_REPORTS = '919800000006';

test('a code delivered over the chat app is valid and not sent by SMS', async () => {
  await using t = await setup(A_QUEUE);

  const verifyId = await t.request(DELIVERED);
  await t.untilSteps(verifyId, ['chatapp Sent', 'sms Stopped delivered']);

  const [message, ...others] = await t.phone(DELIVERED);
  expect([message!.channel, others]).toEqual(['chatapp', []]);
  const found = await t.verification(verifyId);
  expect(found).toMatchObject({
    sends: 1,
    messages: [{ channel: 'chatapp', messageId: message!.messageId, errCode: '000' }],
  });
  expect((await t.validate(verifyId, codeIn(message!.text))).status).toBe(200);
  await t.untilNoneSealed();
  const listed = await t.p.get(`/v1/messages?recipient=${DELIVERED}`);
  expect((listed.body['data'] as unknown[]).length).toBe(1);
});

test('a code that fails on the chat app is sent by SMS immediately', async () => {
  await using t = await setup(A_QUEUE);

  const verifyId = await t.request(FAILS);
  await t.untilSteps(verifyId, ['chatapp Sent', 'sms Sent']);

  const { messages } = await t.verification(verifyId);
  expect(messages).toMatchObject([
    { channel: 'chatapp', status: 'Failed', errCode: '001' },
    { channel: 'sms' },
  ]);
  await t.untilNoneSealed();
});

describeOnEachQueue((queue) => {
  test('a fallback is sent when due, even after a delivery with stopOn verified', async () => {
    await using t = await setup(queue);
    const [unreported, delivered] = [await t.request(NEVER_REPORTS), await t.request(DELIVERED, 'verified')];
    await t.untilPhone(NEVER_REPORTS, 'chatapp');
    await waitFor(
      async () => (await t.verification(delivered)).messages.some(({ status }) => status === 'Read'),
      {
        otherwise: 'the code was not read',
      },
    );
    expect((await t.verification(delivered)).steps[1]).toMatchObject({
      channel: 'sms',
      status: 'Waiting',
      messageId: null,
    });

    await t.query(`UPDATE verification_step SET due_at = now() WHERE status = 'WAITING'`);
    await Promise.all([t.untilPhone(NEVER_REPORTS, 'sms'), t.untilPhone(DELIVERED, 'sms')]);

    for (const verifyId of [unreported, delivered]) expect((await t.verification(verifyId)).sends).toBe(2);
    const [sms, chat] = await t.phone(NEVER_REPORTS);
    expect(codeIn(sms!.text)).toBe(codeIn(chat!.text));
    await t.untilNoneSealed();
  });

  test('a code replaced or used before its fallback is due is wiped and not sent by SMS', async () => {
    await using t = await setup(queue);
    const first = await t.request(NEVER_REPORTS);
    await t.untilPhone(NEVER_REPORTS, 'chatapp');

    await t.query(
      `UPDATE verification_number SET sends = (SELECT jsonb_agg(s || '{"at": 0}') FROM jsonb_array_elements(sends) AS s)`,
    );
    const second = await t.request(NEVER_REPORTS);
    await t.untilSteps(first, ['chatapp Sent', 'sms Stopped replaced']);
    await waitFor(async () => (await t.phone(NEVER_REPORTS)).length === 2, {
      otherwise: 'the second code did not come',
    });
    expect((await t.validate(second, codeIn((await t.phone(NEVER_REPORTS))[0]!.text))).status).toBe(200);
    await t.untilSteps(second, ['chatapp Sent', 'sms Stopped verified']);

    await t.untilNoneSealed();
    expect((await t.phone(NEVER_REPORTS)).map(({ channel }) => channel)).toEqual(['chatapp', 'chatapp']);
  });
});

/** Returns the six digits in the text of the SMS or the template. */
const codeIn = (text: string): string => /\b\d{6}\b/.exec(text)?.[0] ?? '';

interface Shown {
  sends: number;
  messages: { channel: string; status: string }[];
  steps: { channel: string; status: string; reason: string | null; messageId: string | null }[];
}

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const env = { SIMULATOR_INBOX: '1', SIMULATOR_DELAY_MS: '20', TEMPLATE_REVIEW: 'auto' };
  const p = started.use(await startPipeline({ queue, env, workers: ['sms', 'dlr', 'otp', 'chatapp'] }));
  const configs = await addConfigs(p);
  const all = started.move();
  const verification = async (id: string): Promise<Shown> =>
    (await p.get(`/v1/verify/${id}`)).body['data'] as unknown as Shown;
  const phone = async (to: string) =>
    (await p.get(`/v1/simulator/phones/${to}/messages`)).body['data'] as {
      messageId: string;
      channel: string;
      from: string;
      text: string;
    }[];
  const steps = async (id: string): Promise<string[]> =>
    (await verification(id)).steps.map(({ channel, status, reason }) =>
      [channel, status, reason].filter(Boolean).join(' '),
    );
  return {
    p,
    phone,
    verification,
    query: <Row>(sql: string): Promise<Row[]> => p.db.query(sql),
    request: async (to: string, stopOn: 'delivered' | 'verified' = 'delivered'): Promise<string> =>
      (await p.post('/v1/verify', { configId: configs[stopOn], to })).body['data'] as string,
    validate: (verifyId: string, otp: string) => p.post('/v1/verify/validate', { verifyId, otp }),
    untilPhone: (to: string, channel: string) =>
      waitFor(async () => (await phone(to)).some((each) => each.channel === channel), {
        otherwise: `nothing came over ${channel}`,
      }),
    untilSteps: (id: string, expected: string[]) =>
      waitFor(async () => String(await steps(id)) === String(expected), {
        otherwise: `the steps are not ${expected.join(', ')}`,
      }),
    /** Waits until no row has a sealed value, except those of phones: a code is wiped after its submit is recorded. */
    untilNoneSealed: () =>
      waitFor(
        async () => {
          const sealed: object[] = await p.db.query(
            `SELECT FROM submission WHERE sealed IS NOT NULL
             UNION ALL
             SELECT FROM verification_step WHERE sealed IS NOT NULL`,
          );
          return sealed.length === 0;
        },
        { otherwise: 'sealed codes are left' },
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Adds configurations whose codes go over the chat app first, one for each `stopOn`. */
async function addConfigs(p: Pipeline): Promise<Record<'delivered' | 'verified', string>> {
  const template = await addCodeTemplate(p);
  const add = async (stopOn: string): Promise<string> => {
    const body = {
      name: stopOn,
      channel: 'chatapp',
      template,
      fallback: 'sms',
      sender: 'SIGNALBX',
      stopOn,
    };
    return (
      (await p.post('/v1/verify/configs', { ...body, text: 'Code {{code}}' })).body['data'] as { id: string }
    ).id;
  };
  return { delivered: await add('delivered'), verified: await add('verified') };
}
