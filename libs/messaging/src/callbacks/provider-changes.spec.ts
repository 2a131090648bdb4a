import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { messageId } from '@signalbox/domain/message-id';
import { cloudApiCallbacks } from '@signalbox/gateways/cloud-api/callback';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { webhook } from '@signalbox/test/graph-server';
import { addSender } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { recordingQueues } from '../../test/recording-queues.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { CallbackFormats, type GatewayCallbacks } from './callback-formats.ts';
import { CallbackReader } from './callback-reader.ts';
import { toProviderChanges } from './provider-changes.ts';

const { db } = await openSharedRows();
const BUSINESS = '15550783881';
const METADATA = { display_phone_number: BUSINESS };

class CloudApiFormats extends CallbackFormats {
  override find(): Promise<GatewayCallbacks> {
    const format = cloudApiCallbacks({ appSecret: '', verifyToken: '' });
    return Promise.resolve({ channel: 'chatapp', format });
  }
}

function openReader(): CallbackReader {
  const { queues } = recordingQueues();
  const sealer = new Sealer(Buffer.alloc(32).toString('base64'));
  const formats = new CloudApiFormats(db, sealer, { publicUrl: null, simulatorSecrets: [] });
  return new CallbackReader(db, queues, createLogger('test', 'silent'), formats, new OutcomeCounts());
}

/** Seconds since 1970 in a year of five digits, which Postgres does not read as text. */
const FAR = '999999999999';
const WRITER = { from: '919800000001', timestamp: '1750000000', type: 'text', text: { body: 'Hi' } };

test.each([
  [
    'message that replies to no storable id',
    { field: 'messages', value: { messages: [{ ...WRITER, id: 'wamid.2', context: { id: 'a\u0000' } }] } },
  ],
  [
    'refusal of a far time',
    {
      field: 'user_preferences',
      value: { user_preferences: [{ wa_id: WRITER.from, value: 'stop', timestamp: FAR }] },
    },
  ],
])('a %s loses no status of its callback', async (_name, { field, value }) => {
  await db.query('DELETE FROM chat_sender');
  await addSender(db, randomUUIDv7(), BUSINESS);
  const status = {
    id: 'wamid.1',
    status: 'delivered',
    timestamp: '1750000000',
    biz_opaque_callback_data: messageId(randomUUIDv7(), 1),
  };
  const { body } = webhook(
    { field, value: { metadata: METADATA, ...value } },
    { field: 'messages', value: { metadata: METADATA, statuses: [status] } },
  );
  const id = randomUUIDv7();
  await insertCallbacks(db, [{ id, gateway: 'whatsapp', body: Buffer.from(body) }]);

  expect(await openReader().read([id])).toMatchObject({ callbacks: 1, reports: 1 });

  expect(await db.query('SELECT problem FROM callback WHERE id = $1', [id])).toEqual([{ problem: null }]);
});

test('the state of a template in the far future counts as one of now', () => {
  const change = { gatewayTemplateId: '594', name: 'order', language: 'en', status: 'APPROVED' };
  const at = new Date(Number(FAR) * 1_000);
  const read = { reports: [], inbound: [], problem: null, templates: [{ ...change, at }] };
  const [stored] = toProviderChanges('whatsapp', read).templates;
  expect(stored!.at!.getTime()).toBeLessThanOrEqual(Date.now());
});
