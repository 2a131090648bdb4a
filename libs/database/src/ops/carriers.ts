import { randomUUIDv7 } from 'node:crypto';
import { Readable } from 'node:stream';
import { type CarrierPrefix, CarrierTable, UNKNOWN_CARRIER } from '@signalbox/domain/routing/carrier-table';
import type { EntityManager } from 'typeorm';
import { openDataSource } from '../core/data-source.ts';

const INSERTED_AT_ONCE = 5_000;
const READ_AT_ONCE = 50_000;

/**
 * Replaces the operator table by another one, in one transaction: whoever reads has the old one or the new one. When the entries
 * throw, nothing has changed.
 *
 * @returns how many entries there are now
 */
export function replaceCarriers(
  db: EntityManager,
  entries: AsyncIterable<CarrierPrefix>,
  source: string,
): Promise<number> {
  return db.transaction(async (transaction) => {
    await transaction.query(`SET LOCAL statement_timeout = 0`); // millions of old entries may go
    const id = randomUUIDv7();
    await transaction.query(`LOCK TABLE operator_import IN EXCLUSIVE MODE`);
    const count = await insertEntries(transaction, id, entries);
    await transaction.query(`DELETE FROM operator_prefix WHERE import_id <> $1`, [id]);
    await transaction.query(`INSERT INTO operator_import (id, source, entries) VALUES ($1, $2, $3)`, [
      id,
      source,
      count,
    ]);
    return count;
  });
}

/** `replaceCarriers` on a database that is opened for it. */
export async function importCarriers(
  databaseUrl: string,
  entries: AsyncIterable<CarrierPrefix>,
  source: string,
): Promise<number> {
  const db = await openDataSource({
    url: databaseUrl,
    applicationName: 'signalbox-operators',
    poolSize: 1,
    commit: 'durable',
  });
  try {
    return await replaceCarriers(db.manager, entries, source);
  } finally {
    await db.destroy();
  }
}

/** Numbers of the simulator's world, so that an empty database shows operators too; a table that was imported stays. */
export async function seedDemoCarriers(databaseUrl: string): Promise<void> {
  const db = await openDataSource({
    url: databaseUrl,
    applicationName: 'signalbox-seed',
    poolSize: 1,
    commit: 'durable',
  });
  try {
    if (await findCarrierImport(db.manager)) return;
    await replaceCarriers(db.manager, Readable.from(DEMO_OPERATORS), 'demo');
  } finally {
    await db.destroy();
  }
}

const DEMO_OPERATORS: CarrierPrefix[] = [
  { prefix: '91', operator: 'Demo operator', circle: 'India' },
  { prefix: '9198', operator: 'Demo operator', circle: 'Delhi' },
  { prefix: '91981', operator: 'Demo operator', circle: 'Mumbai' },
  { prefix: '91989', operator: 'Demo operator', circle: 'Karnataka' },
  { prefix: '1', operator: 'Demo operator', circle: '' },
];

async function insertEntries(
  db: EntityManager,
  importId: string,
  entries: AsyncIterable<CarrierPrefix>,
): Promise<number> {
  let count = 0;
  let batch: CarrierPrefix[] = [];
  const flush = async (): Promise<void> => {
    await db.query(
      `INSERT INTO operator_prefix (import_id, prefix, operator, circle) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])`,
      [
        importId,
        batch.map((entry) => entry.prefix),
        batch.map((entry) => entry.operator),
        batch.map((entry) => entry.circle),
      ],
    );
    count += batch.length;
    batch = [];
  };
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length === INSERTED_AT_ONCE) await flush();
  }
  await flush();
  return count;
}

/** The newest import; undefined before the first. */
export async function findCarrierImport(db: EntityManager): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(`SELECT id FROM operator_import ORDER BY id DESC LIMIT 1`);
  return row?.id;
}

/** An import counts everywhere within a minute. */
export const REFRESH_CARRIERS_MS = 20_000;

/** Knows the operators of numbers from memory; `refresh` takes over a newer import. */
export class Carriers {
  private importId: string | undefined;
  private table: CarrierTable | undefined;

  constructor(private readonly db: EntityManager) {}

  /** With the table read. */
  static async open(db: EntityManager): Promise<Carriers> {
    const operators = new Carriers(db);
    await operators.refresh();
    return operators;
  }

  /** Reads the table if it is another one than before. */
  async refresh(): Promise<void> {
    const importId = await findCarrierImport(this.db);
    if (importId === this.importId || importId === undefined) return;
    const table = await CarrierTable.of(entriesOf(this.db, importId));
    if ((await findCarrierImport(this.db)) !== importId) return; // replaced while it was read: the next look reads the newer one
    this.table = table;
    this.importId = importId;
  }

  /** Operator and circle of a number, or UNKNOWN. */
  nameOf(recipient: string): string {
    return this.table?.find(recipient) ?? UNKNOWN_CARRIER;
  }
}

async function* entriesOf(db: EntityManager, importId: string): AsyncGenerator<CarrierPrefix> {
  let last = '';
  for (;;) {
    const page: CarrierPrefix[] = await db.query(
      `SELECT prefix, operator, circle FROM operator_prefix WHERE import_id = $1 AND prefix > $2 ORDER BY prefix LIMIT ${READ_AT_ONCE}`,
      [importId, last],
    );
    yield* page;
    if (page.length < READ_AT_ONCE) return;
    last = page.at(-1)!.prefix;
  }
}
