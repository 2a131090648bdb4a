import { randomUUIDv7 } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { finishMedia, insertMedia, useMedia } from '@signalbox/database/templates/media';
import { DiskMediaStore } from '@signalbox/gateways/media/disk-media-store';
import type { MediaStore } from '@signalbox/gateways/media/media-store';
import type { DutyContext } from '@signalbox/messaging/maintenance/duty';
import { runDuty } from '@signalbox/messaging/maintenance/run-duty';
import { createLogger } from '@signalbox/runtime/logger';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { MEDIA_SWEEP } from './media-sweep.ts';

let rows: TestRows;
let folder: string;
const accountId = randomUUIDv7();

beforeAll(async () => {
  rows = await openRows();
  folder = await mkdtemp(join(tmpdir(), 'signalbox-media-'));
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [accountId]);
});
afterAll(async () => {
  await rows[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function* content(): AsyncGenerator<Buffer> {
  yield Buffer.from('content');
}

/** Stores a file as a finished or unfinished upload leaves it. */
async function store(isFinished: boolean): Promise<string> {
  const id = randomUUIDv7();
  await insertMedia(rows.db, accountId, id, id, 1);
  await new DiskMediaStore(folder).write(id, content());
  if (isFinished) await finishMedia(rows.db, id, { kind: 'IMAGE', mimeType: 'image/png', sizeBytes: 7 });
  return id;
}

const passDays = (days: number): Promise<unknown> =>
  rows.db.query(`UPDATE media SET expires_at = expires_at - make_interval(hours => $1)`, [days * 24]);

/** Runs a pass of the sweep. Returns its log lines. */
async function sweep(media: MediaStore = new DiskMediaStore(folder)): Promise<object[]> {
  const lines: object[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  await runDuty(MEDIA_SWEEP, {
    db: rows.db,
    logger,
    get: (() => media) as DutyContext['get'],
  } as DutyContext);
  return lines;
}

test('abandoned uploads lose file and row, and young or used ones stay', async () => {
  const [unused, used, unfinished] = [await store(true), await store(true), await store(false)];
  expect(await useMedia(rows.db, accountId, [used, unfinished])).toEqual(new Map([[used, 'IMAGE']]));
  const left = async () => {
    const kept: { id: string }[] = await rows.db.query(`SELECT id FROM media ORDER BY id`);
    expect((await readdir(folder)).toSorted()).toEqual(kept.map(({ id }) => id));
    return kept.map(({ id }) => id);
  };

  await sweep();
  expect(await left()).toEqual([unused, used, unfinished]);
  await passDays(1);
  await sweep();
  expect(await left()).toEqual([unused, used]);
  await passDays(30);
  await sweep();
  expect(await left()).toEqual([used]);
});

test('a file that cannot be removed is set aside, and the others lose file and row', async () => {
  const [bad, ...others] = [await store(true), await store(true), await store(false)];
  await rm(join(folder, bad));
  await mkdir(join(folder, bad));
  await passDays(30);

  expect(await sweep()).toMatchObject([
    { event: 'media.not_removed', level: 'error', mediaIds: [bad], error: { code: 'ERR_FS_EISDIR' } },
    { event: 'media.swept', count: others.length },
  ]);

  expect(await useMedia(rows.db, accountId, [bad])).toEqual(new Map());
  expect(await sweep()).toEqual([]);
  await rm(join(folder, bad), { recursive: true });
  await passDays(1);
  expect(await sweep()).toMatchObject([{ event: 'media.swept', count: 1 }]);
});

test('no transaction is open while files are removed', async () => {
  const [first, second] = [await store(true), await store(true)];
  await passDays(30);
  const open: unknown[] = [];
  class WatchedStore extends DiskMediaStore {
    override async remove(id: string): Promise<void> {
      const others = `SELECT query FROM pg_stat_activity
                       WHERE datname = current_database() AND state = 'idle in transaction'`;
      open.push(...((await rows.db.query(others)) as unknown[]));
      await super.remove(id);
    }
  }

  await sweep(new WatchedStore(folder));

  expect(open).toEqual([]);
  expect((await readdir(folder)).filter((id) => id === first || id === second)).toEqual([]);
});
