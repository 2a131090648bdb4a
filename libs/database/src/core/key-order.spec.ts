import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { lockedBehind } from '@signalbox/test/locks';
import {
  accept,
  addSender,
  addWebhooks,
  newChat,
  newMessageId,
  newProviderTemplate,
  newReport,
} from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { deleteOptOut, upsertOptOuts } from '../accounts/opt-outs.ts';
import { applyConsentChanges } from '../chat/inbound-messages.ts';
import { insertMessageIds } from '../gateways/message-ids.ts';
import { deleteOrphans, insertOrphans, postponeOrphans } from '../gateways/orphans.ts';
import { deleteOldest } from '../ops/retention.ts';
import { deleteDeferred, insertDeferred, renewDeferred } from '../reports/deferred.ts';
import { insertReports } from '../reports/reports.ts';
import { sweepIdempotencyKeys } from '../submissions/creations.ts';
import { wipeDispatched } from '../submissions/sealed-texts.ts';
import { fanOut } from '../submissions/submissions.ts';
import { deleteStaleNumbers, upsertGatewayNumbers } from '../templates/gateway-numbers.ts';
import { deleteMedia, setMediaAside, useMedia } from '../templates/media.ts';
import { applyProviderTemplates } from '../templates/provider-states.ts';
import { sweepVerifications } from '../verify/maintenance.ts';
import { recordPushes, recordPushesChecked } from '../webhooks/pushes.ts';
import { advanceReplays, insertReplay } from '../webhooks/replays.ts';

/*
 * A plan may read rows in the order in which they lie in their table. Here that is the reverse of their keys, so a
 * statement that leaves the order to its plan locks the third row before the second.
 */

const DAYS = 30;
const SENDER = '15550190000';
const NUMBERS = ['15550190001', '15550190002', '15550190003'] as const;
/** Places of rows in the order of their keys, the last first. */
const BACKWARD = [2, 1, 0] as const;

const rows = await openSharedRows();

/** The rows of a statement, by their place in the order of their keys from 1, and the statement. */
interface Locking {
  row: (n: number) => string;
  run: (db: EntityManager) => Promise<unknown>;
}

const LOCKINGS: Record<string, (db: EntityManager) => Promise<Locking>> = {
  fanOut: async (db) => {
    const ids = await storeBackward((id) => accept(db, { id }));
    return { row: byId('submission', ids), run: (on) => fanOut(on, ids, 60) };
  },
  wipeDispatched: async (db) => {
    const ids = await storeBackward(async (id) => {
      await accept(db, { id, sealed: Buffer.of(1) });
      await fanOut(db, [id], 60);
    });
    await db.query(`UPDATE message SET status = 'SENT' WHERE submission_id = ANY($1)`, [ids]);
    return { row: byId('submission', ids), run: (on) => wipeDispatched(on, ids) };
  },
  recordPushes: async (db) => {
    const ids = await storeReports(db);
    return { row: byId('message_event', ids), run: (on) => recordPushes(on, ids, []) };
  },
  recordPushesChecked: async (db) => {
    const ids = await storeReports(db);
    return { row: byId('message_event', ids), run: (on) => recordPushesChecked(on, ids, []) };
  },
  advanceReplays: async (db) => {
    const webhookIds = await storeReplays(db);
    return { row: (n) => `push WHERE webhook_id = '${webhookIds[n - 1]}'`, run: advanceReplays };
  },
  postponeOrphans: async (db) => {
    const ids = await storeOrphans(db);
    return { row: byId('orphan_report', ids), run: (on) => postponeOrphans(on, ids) };
  },
  deleteOrphans: async (db) => {
    const ids = await storeOrphans(db);
    return { row: byId('orphan_report', ids), run: (on) => deleteOrphans(on, ids) };
  },
  insertMessageIds: async (db) => {
    const ids = await storeOrphans(db);
    const given = ids.toReversed().map((id) => newMessageId(id));
    return { row: byId('orphan_report', ids), run: (on) => insertMessageIds(on, given) };
  },
  renewDeferred: async (db) => {
    const ids = await storeDeferred(db);
    return { row: byId('deferred_batch', ids), run: (on) => renewDeferred(on, ids, 60) };
  },
  deleteDeferred: async (db) => {
    const ids = await storeDeferred(db);
    return { row: byId('deferred_batch', ids), run: (on) => deleteDeferred(on, ids) };
  },
  useMedia: async (db) => {
    const { accountId, ids } = await storeMedia(db);
    return { row: byId('media', ids), run: (on) => useMedia(on, accountId, ids) };
  },
  setMediaAside: async (db) => {
    const { ids } = await storeMedia(db);
    return { row: byId('media', ids), run: (on) => setMediaAside(on, ids) };
  },
  deleteMedia: async (db) => {
    const { ids } = await storeMedia(db);
    return { row: byId('media', ids), run: (on) => deleteMedia(on, ids) };
  },
  applyProviderTemplates: async (db) => {
    const ids = await storeRegistered(db);
    const states = BACKWARD.map((i) =>
      newProviderTemplate({ gateway: 'meta', gatewayTemplateId: ids[i]!, name: '', quality: 'GREEN' }),
    );
    return { row: byId('template', ids), run: (on) => applyProviderTemplates(on, states) };
  },
  upsertGatewayNumbers: async (db) => {
    const { gateway, row } = await storeGatewayNumbers(db);
    const kept = [NUMBERS[0], NUMBERS[2]].map((msisdn) => ({ msisdn, providerId: '2' }));
    return { row, run: (on) => upsertGatewayNumbers(on, gateway, kept) };
  },
  deleteStaleNumbers: async (db) => ({ ...(await storeGatewayNumbers(db)), run: deleteStaleNumbers }),
  applyConsentChanges: async (db) => {
    const accountId = randomUUIDv7();
    await addSender(db, accountId, SENDER);
    await storeOptOuts(db, accountId, { sender: SENDER, source: 'gateway' });
    const changes = BACKWARD.map((i) => {
      const consent = i === 0 ? ('stop' as const) : ('start' as const);
      return { recipient: NUMBERS[i], sender: SENDER, consent, at: new Date() };
    });
    return { row: byRecipient('opt_out', accountId), run: (on) => applyConsentChanges(on, changes) };
  },
  deleteOptOut: async (db) => {
    const accountId = await storeAccount(db);
    const ids = await storeOptOuts(db, accountId, { sender: '', source: 'api' });
    const [number, ...userIds] = NUMBERS;
    for (const userId of userIds)
      await db.query(`INSERT INTO chat_user (account_id, user_id, msisdn) VALUES ($1, $2, $3)`, [
        accountId,
        userId,
        number,
      ]);
    return { row: byRecipient('opt_out', accountId), run: (on) => deleteOptOut(on, accountId, ids[2]!) };
  },
  'deleteOldest of messages': async (db) => {
    const id = oldId();
    await accept(db, { id, recipients: [...NUMBERS] });
    await fanOut(db, [id], 60);
    for (const i of BACKWARD)
      await db.query(`UPDATE message SET due_at = now() WHERE submission_id = $1 AND n = $2`, [id, i + 1]);
    await makeOld(db);
    return {
      row: (n) => `message WHERE submission_id = '${id}' AND n = ${n}`,
      run: (on) => deleteOldest(on, DAYS),
    };
  },
  'deleteOldest of pairs with submissions': async (db) => {
    const accountId = await storeAccount(db);
    await storePairs(db, accountId);
    for (const i of BACKWARD)
      await accept(db, newChat({ id: oldId(), accountId, sender: SENDER, recipients: [NUMBERS[i]] }));
    await makeOld(db);
    return { row: byRecipient('chat_pair', accountId), run: (on) => deleteOldest(on, DAYS) };
  },
  'deleteOldest of pairs with inbound messages': async (db) => {
    const accountId = await storeAccount(db);
    await storePairs(db, accountId);
    await storeOldInbounds(db, accountId);
    return { row: byRecipient('chat_pair', accountId), run: (on) => deleteOldest(on, DAYS) };
  },
  'deleteOldest of user ids': async (db) => {
    const accountId = await storeAccount(db);
    for (const i of BACKWARD)
      await db.query(
        `INSERT INTO chat_user (account_id, user_id, msisdn, seen_at) VALUES ($1, $2, $2, '1970-01-01')`,
        [accountId, NUMBERS[i]],
      );
    return {
      row: (n) => `chat_user WHERE account_id = '${accountId}' AND user_id = '${NUMBERS[n - 1]}'`,
      run: (on) => deleteOldest(on, DAYS),
    };
  },
};

test.each(Object.entries(LOCKINGS))('%s locks rows in the order of their keys', async (_, prepare) => {
  const { row, run } = await prepare(rows.db);

  const byBitmap = async (db: EntityManager): Promise<unknown> => {
    await db.query('SET LOCAL enable_indexscan = off');
    return run(db);
  };
  expect(await lockedBehind(rows.db, row, byBitmap)).toEqual([1, 2]);
});

test('a sweep leaves a row that a call has locked to its next call', async () => {
  const accountId = await storeAccount(rows.db);
  for (const key of ['locked', 'free'])
    await rows.db.query(
      `INSERT INTO idempotency_key (account_id, path, key, body_hash, created_at) VALUES ($1, '/', $2, '', '1970-01-01')`,
      [accountId, key],
    );

  await rows.db.transaction(async (db) => {
    await db.query(`SELECT FROM idempotency_key WHERE key = 'locked' FOR UPDATE`);
    expect(await sweepIdempotencyKeys(rows.db)).toBe(1);
  });
  expect(await sweepIdempotencyKeys(rows.db)).toBe(1);
});

test('the sweep of verifications leaves a number and a quota that a call has locked', async () => {
  const accountId = await storeAccount(rows.db);
  const [recipient] = NUMBERS;
  await rows.db.query(
    `INSERT INTO verification_number (account_id, recipient, touched_at) VALUES ($1, $2, '1970-01-01')`,
    [accountId, recipient],
  );
  await rows.db.query(
    `INSERT INTO verification_quota (account_id, quota, used_at) VALUES ($1, 'prefix ' || left($2, -4), '1970-01-01')`,
    [accountId, recipient],
  );
  await rows.db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, max_attempts, expires_at, counted)
     VALUES ($1, $2, $2, $2, $3, 'IN', false, 'EXPIRED', 3, now(), true)`,
    [oldId(), accountId, recipient],
  );

  await rows.db.transaction(async (db) => {
    await db.query('SELECT FROM verification_number FOR UPDATE');
    await db.query('SELECT FROM verification_quota FOR UPDATE');
    expect(await sweepVerifications(rows.db)).toBe(1);
  });
});

const byId = (table: string, ids: readonly string[]) => (n: number) => `${table} WHERE id = '${ids[n - 1]}'`;

const byRecipient = (table: string, accountId: string) => (n: number) =>
  `${table} WHERE account_id = '${accountId}' AND recipient = '${NUMBERS[n - 1]}'`;

/** Stores three rows, the last id first. Returns the ids in order. */
async function storeBackward(store: (id: string) => Promise<unknown>): Promise<string[]> {
  const ids = NUMBERS.map(() => randomUUIDv7()).toSorted();
  for (const i of BACKWARD) await store(ids[i]!);
  return ids;
}

async function storeAccount(db: EntityManager): Promise<string> {
  const accountId = randomUUIDv7();
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [accountId]);
  return accountId;
}

function storeReports(db: EntityManager): Promise<string[]> {
  return storeBackward((id) => insertReports(db, [newReport(randomUUIDv7(), { id })]));
}

/** Stores an exhausted push to each of three webhooks, and a replay of it. Returns the ids of the webhooks in order. */
async function storeReplays(db: EntityManager): Promise<string[]> {
  const accountId = await storeAccount(db);
  const webhookIds = (await addWebhooks(db, accountId, 3)).toSorted();
  const { id: reportId, ...report } = newReport(randomUUIDv7());
  await insertReports(db, [{ ...report, id: reportId }]);
  for (const i of BACKWARD) {
    const webhookId = webhookIds[i]!;
    await db.query(
      `INSERT INTO push (report_id, webhook_id, account_id, status, attempts) VALUES ($1, $2, $3, 'EXHAUSTED', 3)`,
      [reportId, webhookId, accountId],
    );
    await insertReplay(db, accountId, {
      id: randomUUIDv7(),
      webhookId,
      status: 'RUNNING',
      statuses: ['EXHAUSTED'],
      from: new Date(0),
      to: new Date(Date.now() + 60_000),
      ratePerSecond: 100,
      total: 1,
      replayed: 0,
      createdAt: new Date(),
      finishedAt: null,
    });
  }
  await db.query(`UPDATE push_replay SET advanced_at = now() - interval '1 second'`);
  return webhookIds;
}

/** Stores reports of the gateway smsc-1 that wait for a message with their own id. */
function storeOrphans(db: EntityManager): Promise<string[]> {
  return storeBackward((id) =>
    insertOrphans(db, [
      {
        id,
        gateway: 'smsc-1',
        kind: 'report',
        gatewayMessageId: id,
        wakeId: id,
        recipient: null,
        status: 'DELIVERED',
        errCode: '000',
        gatewayCode: null,
        description: '',
        content: null,
        reportedAt: new Date(),
      },
    ]),
  );
}

function storeDeferred(db: EntityManager): Promise<string[]> {
  return storeBackward(async (id) => {
    await insertDeferred(db, [{ isCode: false, accountId: id, pushes: 1, reportIds: [id] }]);
    await db.query('UPDATE deferred_batch SET id = account_id WHERE account_id = $1', [id]);
  });
}

/** Stores files whose handles are their ids. */
async function storeMedia(db: EntityManager): Promise<{ accountId: string; ids: string[] }> {
  const accountId = await storeAccount(db);
  const ids = await storeBackward((id) =>
    db.query(
      `INSERT INTO media (id, account_id, handle, kind, mime_type, size_bytes, stored_at, expires_at)
       VALUES ($1::uuid, $2, $1::uuid::text, 'IMAGE', 'image/png', 1, now(), now() + interval '1 day')`,
      [id, accountId],
    ),
  );
  return { accountId, ids };
}

/** Stores templates that the gateway meta has under their ids. */
async function storeRegistered(db: EntityManager): Promise<string[]> {
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(db, accountId, '15550190004');
  return storeBackward((id) =>
    db.query(
      `WITH stored AS (
         INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version,
                               submitted_at, created_at, updated_at)
         VALUES ($1::uuid, $2, $3, 'n' || right($1::text, 12), 'en', 'PENDING', 'UTILITY', 1, now(), now(), now())
         RETURNING id
       )
       INSERT INTO template_registration (template_id, gateway, gateway_template_id, version, attempted_version)
       SELECT id, 'meta', id, 1, 1
         FROM stored`,
      [id, accountId, chatAccountId],
    ),
  );
}

/** Stores numbers of a gateway that is not there, the last first. */
async function storeGatewayNumbers(db: EntityManager): Promise<{ gateway: string; row: Locking['row'] }> {
  const gateway = randomUUIDv7();
  const insert = `INSERT INTO gateway_number (gateway, msisdn, provider_id) VALUES ($1, $2, '1')`;
  for (const i of BACKWARD) await db.query(insert, [gateway, NUMBERS[i]]);
  const row = (n: number) => `gateway_number WHERE gateway = '${gateway}' AND msisdn = '${NUMBERS[n - 1]}'`;
  return { gateway, row };
}

/** Stores an old opt-out of each number. Returns their ids in the order of the numbers. */
async function storeOptOuts(
  db: EntityManager,
  accountId: string,
  given: { sender: string; source: string },
): Promise<string[]> {
  const ids = NUMBERS.map(() => randomUUIDv7());
  for (const i of BACKWARD) {
    const optOut = { ...given, id: ids[i]!, recipient: NUMBERS[i], reason: null, createdAt: new Date(0) };
    await upsertOptOuts(db, accountId, [optOut]);
  }
  return ids;
}

async function storePairs(db: EntityManager, accountId: string): Promise<void> {
  for (const i of BACKWARD)
    await db.query(`INSERT INTO chat_pair (account_id, sender, recipient) VALUES ($1, $2, $3)`, [
      accountId,
      SENDER,
      NUMBERS[i],
    ]);
}

/** Stores an old inbound message of each number, whose user id is the number. */
async function storeOldInbounds(db: EntityManager, accountId: string): Promise<void> {
  for (const i of BACKWARD)
    await db.query(
      `INSERT INTO inbound_message (id, account_id, gateway, gateway_message_id, sender, recipient, kind, content, sent_at, user_id)
       VALUES ($1::uuid, $2, 'vendor', $1::uuid::text, $3, $4, 'text', '{}', now(), $3)`,
      [oldId(), accountId, NUMBERS[i], SENDER],
    );
}

/** Makes old submissions end as long ago. */
async function makeOld(db: EntityManager): Promise<void> {
  await db.query(
    `UPDATE submission SET fanned_out_at = '1970-01-01', expires_at = '1970-01-01' WHERE uuid_extract_timestamp(id) < '1970-01-02'`,
  );
}

/** An id of 1970. */
function oldId(): string {
  return `00000000-0000${randomUUIDv7().slice('00000000-0000'.length)}`;
}
