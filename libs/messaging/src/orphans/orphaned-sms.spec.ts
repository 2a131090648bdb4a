import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertOrphans } from '@signalbox/database/gateways/orphans';
import { createLogger } from '@signalbox/runtime/logger';
import { openRows } from '@signalbox/test/rows';
import type { DutyContext } from '../maintenance/duty.ts';
import { storeOrphanedSms } from './orphaned-sms.ts';

test.each([`content || '{"id": "no uuid"}'`, `'{}'`, `'"text"'`, `'5'`])(
  'an orphaned SMS whose content is %s is logged and postponed, and the others are stored',
  async (content) => {
    await using rows = await openRows();
    const accountId = randomUUIDv7();
    await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [accountId]);
    const orphans = Array.from({ length: 5 }, () => newOrphan(accountId));
    await insertOrphans(rows.db, orphans);
    await rows.db.query(`UPDATE orphan_report SET content = ${content} WHERE id = $1`, [orphans[2]!.id]);
    await rows.db.query(`UPDATE orphan_report SET next_try_at = now()`);
    const lines: object[] = [];
    const logger = createLogger('test', 'error', {
      write: (line) => void lines.push(JSON.parse(line) as object),
    });
    const enqueued: string[] = [];
    const queues = { get: () => ({ enqueue: (ids: string[]) => void enqueued.push(...ids) }) };

    expect(await storeOrphanedSms({ db: rows.db, queues, logger } as unknown as DutyContext)).toBe(5);

    expect(await rows.db.query('SELECT id FROM orphan_report')).toEqual([{ id: orphans[2]!.id }]);
    expect(await rows.db.query('SELECT FROM inbound_message')).toHaveLength(4);
    expect(enqueued).toHaveLength(4);
    expect(lines).toMatchObject([{ event: 'orphans.refused', orphanId: orphans[2]!.id }]);
  },
);

function newOrphan(givenTo: string) {
  const id = randomUUIDv7();
  const now = new Date();
  const message = { gateway: 'fake', gatewayMessageId: id, from: '919800000100', to: '56070' };
  return {
    id,
    gateway: 'fake',
    kind: 'inbound' as const,
    gatewayMessageId: id,
    wakeId: id,
    recipient: '56070',
    status: null,
    errCode: '000',
    gatewayCode: null,
    description: '',
    content: { ...message, id, text: 'Hello', givenTo, sentAt: now, receivedAt: now, consent: null },
    reportedAt: now,
  };
}
