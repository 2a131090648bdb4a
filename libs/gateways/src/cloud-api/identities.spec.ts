import { expect, test } from '@jest/globals';
import { readCloudApiCallback } from './callback.ts';

const NUMBER = '15550783881';
const USER = 'US.13491208655302741918';

function read(content: object) {
  const value = { metadata: { display_phone_number: NUMBER }, ...content };
  const changes = [{ field: 'messages', value }];
  return readCloudApiCallback(Buffer.from(JSON.stringify({ entry: [{ changes }] })));
}
const message = (more: object): object => ({ from: '919800000001', id: 'wamid.in', type: 'system', ...more });
const status = (n: number, more: object): object => ({
  id: `wamid.${n}`,
  status: 'delivered',
  recipient_id: '919800000001',
  biz_opaque_callback_data: `019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66:${n}`,
  ...more,
});

test('a status that shows both identities of its recipient links them, once for a body', () => {
  const both = { recipient_user_id: USER };
  const { identities } = read({
    statuses: [
      status(1, both),
      status(2, both),
      status(3, { recipient_user_id: undefined }),
      status(4, { recipient_id: USER }),
    ],
  });
  expect(identities).toEqual([{ sender: NUMBER, number: '919800000001', userId: USER }]);
});

test.each<[string, object, object[]]>([
  [
    'number',
    { from: '919800000001', system: { type: 'user_changed_number', wa_id: '919800000002' } },
    [{ number: '919800000002', previous: '919800000001' }],
  ],
  [
    'number and user id',
    {
      from: '919800000001',
      system: {
        type: 'user_changed_number',
        wa_id: '919800000002',
        user_id: 'IN.new',
        previous_user_id: USER,
      },
    },
    [
      { number: '919800000002', userId: 'IN.new', previous: '919800000001' },
      { number: '919800000002', userId: 'IN.new', previous: USER },
    ],
  ],
  [
    'user id, without a number',
    { from: undefined, system: { type: 'user_changed_user_id', user_id: 'IN.new', previous_user_id: USER } },
    [{ userId: 'IN.new', previous: USER }],
  ],
])('a notice of a new %s replaces the identities from before', (_, given, expected) => {
  const { identities, inbound, problem } = read({ messages: [message({ ...given })] });
  expect(identities).toEqual(expected.map((each) => ({ sender: NUMBER, ...each })));
  expect([inbound.length, problem]).toEqual([1, null]);
});

test('a system message about something else replaces no identity', () => {
  const system = { type: 'customer_identity_changed', wa_id: '919800000002' };
  expect(read({ messages: [message({ system })] }).identities).toEqual([]);
});
