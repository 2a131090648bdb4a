import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { assignSender } from '@signalbox/database/chat/assignments';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { HTTP_KIND } from '@signalbox/gateways/http/kind';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { recordingQueues } from '../../test/recording-queues.ts';
import type { CallbackFormats } from '../callbacks/callback-formats.ts';
import { CallbackReader } from '../callbacks/callback-reader.ts';
import { OutcomeCounts } from './outcome-counts.ts';

const [WRITER, OWNED] = ['919800000007', '15550100001'];
const rows = await openSharedRows();

/** Receives the messages of a vendor that names neither ids nor times. */
async function setup() {
  const account = randomUUIDv7();
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [account]);
  await assignSender(rows.db, account, OWNED);
  const format = HTTP_KIND.callbacks!({
    name: 'vendor',
    channel: 'sms',
    settings: { callback: { inbound: { from: 'from', to: 'to', text: 'text' } } } as never,
    secrets: {},
    ratePerSecond: null,
    callbackUrl: null,
  })!;
  const reader = new CallbackReader(
    rows.db,
    recordingQueues().queues,
    createLogger('test', 'silent'),
    { find: async () => ({ channel: 'sms', format }) } as unknown as CallbackFormats,
    new OutcomeCounts(),
  );
  return async (text: string): Promise<void> => {
    const id = randomUUIDv7();
    const body = Buffer.from(`\n${JSON.stringify({ from: WRITER, to: OWNED, text })}`);
    await insertCallbacks(rows.db, [{ id, gateway: 'vendor', body }]);
    await reader.read([id]);
  };
}

const texts = async (): Promise<string[]> =>
  (
    await rows.db.query(
      `SELECT content->'text'->>'body' AS text FROM inbound_message ORDER BY received_at, id`,
    )
  ).map(({ text }: { text: string }) => text);

test('a message without an id and a time is a repeat for two minutes, and later another one', async () => {
  const receive = await setup();
  await receive('STOP');
  await receive('STOP');
  await receive('START');
  expect(await texts()).toEqual(['STOP', 'START']);

  await rows.db.query(`UPDATE inbound_segment SET received_at = received_at - interval '3 minutes'`);
  await receive('STOP');

  expect(await texts()).toEqual(['STOP', 'START', 'STOP']);
  expect(await rows.db.query('SELECT recipient, sender FROM opt_out')).toEqual([
    { recipient: WRITER, sender: OWNED },
  ]);
});
