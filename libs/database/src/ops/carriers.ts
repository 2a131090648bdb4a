import { randomUUIDv7 } from 'node:crypto';
import { Readable } from 'node:stream';
import { type CarrierPrefix, CarrierTable, UNKNOWN_CARRIER } from '@signalbox/domain/routing/carrier-table';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { openDataSource } from '../core/data-source.ts';

const INSERT_BATCH = 5_000;
const READ_BATCH = 50_000;

/**
 * Replaces the carrier table in one transaction: a reader has the old one or the new one. When the entries throw,
 * nothing has changed.
 *
 * @returns the number of entries in the new table
 */
export function replaceCarriers(
  db: EntityManager,
  entries: AsyncIterable<CarrierPrefix>,
  source: string,
): Promise<number> {
  return db.transaction(async (transaction) => {
    await transaction.query(`SET LOCAL statement_timeout = 0`); // millions of old entries may be deleted
    const id = randomUUIDv7();
    await transaction.query(`LOCK TABLE carrier_import IN EXCLUSIVE MODE`);
    const count = await insertEntries(transaction, id, entries);
    await transaction.query(`DELETE FROM carrier_prefix WHERE import_id <> $1`, [id]);
    await transaction.query(`INSERT INTO carrier_import (id, source, entries) VALUES ($1, $2, $3)`, [
      id,
      source,
      count,
    ]);
    return count;
  });
}

/** Opens a database and calls `replaceCarriers` on it. */
export function importCarriers(
  databaseUrl: string,
  entries: AsyncIterable<CarrierPrefix>,
  source: string,
): Promise<number> {
  return withDatabase(databaseUrl, 'signalbox-carriers', (db) => replaceCarriers(db, entries, source));
}

/**
 * Imports carriers for the simulator's numbers, so that an empty database shows carriers too. A table that was imported
 * stays.
 */
export function seedDemoCarriers(databaseUrl: string): Promise<void> {
  return withDatabase(databaseUrl, 'signalbox-seed', async (db) => {
    if (await findCarrierImport(db)) return;
    await replaceCarriers(db, Readable.from(DEMO_CARRIERS), 'demo');
  });
}

async function withDatabase<Result>(
  url: string,
  applicationName: string,
  run: (db: EntityManager) => Promise<Result>,
): Promise<Result> {
  const db = await openDataSource({ url, applicationName, poolSize: 1, commit: 'durable' });
  try {
    return await run(db.manager);
  } finally {
    await db.destroy();
  }
}

const DEMO_CARRIERS: CarrierPrefix[] = [
  { prefix: '91', operator: 'Demo operator', circle: 'India' },
  { prefix: '9198', operator: 'Demo operator', circle: 'Delhi' },
  { prefix: '91981', operator: 'Demo operator', circle: 'Mumbai' },
  { prefix: '91989', operator: 'Demo operator', circle: 'Karnataka' },
  { prefix: '1', operator: 'Demo operator', circle: '' },
];

/** $1 import. */
const ENTRIES = rowset(
  'entry',
  { prefix: 'text', carrier: ['text', (entry: CarrierPrefix) => entry.operator], circle: 'text' },
  2,
);

const INSERT = sql`
  INSERT INTO carrier_prefix (import_id, ${ENTRIES.columns})
  SELECT $1, entry.*
    FROM ${ENTRIES.from}`;

async function insertEntries(
  db: EntityManager,
  importId: string,
  entries: AsyncIterable<CarrierPrefix>,
): Promise<number> {
  let count = 0;
  let batch: CarrierPrefix[] = [];
  const flush = async (): Promise<void> => {
    await db.query(INSERT, [importId, ...ENTRIES.values(batch)]);
    count += batch.length;
    batch = [];
  };
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length === INSERT_BATCH) await flush();
  }
  await flush();
  return count;
}

/** Finds the id of the newest import; undefined before the first. */
export async function findCarrierImport(db: EntityManager): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(`SELECT id FROM carrier_import ORDER BY id DESC LIMIT 1`);
  return row?.id;
}

/** The interval of `refresh`: an import takes effect everywhere within a minute. */
export const REFRESH_CARRIERS_MS = 20_000;

/** The carriers of numbers, in memory. `refresh` loads a newer import. */
export class Carriers {
  private importId: string | undefined;
  private table: CarrierTable | undefined;

  constructor(private readonly db: EntityManager) {}

  /** Opens the newest import. */
  static async open(db: EntityManager): Promise<Carriers> {
    const carriers = new Carriers(db);
    await carriers.refresh();
    return carriers;
  }

  /** Loads the table if there is a newer import. */
  async refresh(): Promise<void> {
    const importId = await findCarrierImport(this.db);
    if (importId === this.importId || importId === undefined) return;
    const table = await CarrierTable.of(listCarriers(this.db, importId));
    if ((await findCarrierImport(this.db)) !== importId) return; // replaced while it was read: the next call loads the newer one
    this.table = table;
    this.importId = importId;
  }

  /** Returns carrier and circle of a number, or UNKNOWN. */
  nameOf(recipient: string): string {
    return this.table?.find(recipient) ?? UNKNOWN_CARRIER;
  }
}

/** Reads the entries of an import, page by page. */
export async function* listCarriers(db: EntityManager, importId: string): AsyncGenerator<CarrierPrefix> {
  let last = '';
  for (;;) {
    const page: CarrierPrefix[] = await db.query(
      `SELECT prefix, carrier AS operator, circle
         FROM carrier_prefix
        WHERE import_id = $1
          AND prefix > $2
        ORDER BY prefix
        LIMIT ${READ_BATCH}`,
      [importId, last],
    );
    yield* page;
    if (page.length < READ_BATCH) return;
    last = page.at(-1)!.prefix;
  }
}
