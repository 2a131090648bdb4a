import { globSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type TestDatabase } from '@signalbox/test/database';
import { readSchema } from '@signalbox/test/schema';
import { ID, STATEMENT_CALLS } from '@signalbox/test/statement-calls';
import { DataSource, type EntityManager } from 'typeorm';
import { dataSourceOptions } from './data-source.ts';
import { StatementClient } from './statement-client.ts';

/*
 * Keeps libs/database/queries/*.sql, every statement as it is sent, and libs/database/schema.sql, the schema after all
 * migrations, so that a review sees SQL. `UPDATE_QUERIES=1` writes them; without it a difference fails.
 */

const LIB = join(import.meta.dirname, '../..');
const IS_UPDATE = process.env['UPDATE_QUERIES'] === '1';

let database: TestDatabase;
let source: DataSource;
let statements: Map<string, Statements>;

beforeAll(async () => {
  database = await createDatabase();
  const options = dataSourceOptions({
    url: database.url,
    applicationName: 'queries',
    poolSize: 1,
    commit: 'durable',
  });
  source = await new DataSource({
    ...options,
    extra: { ...(options.extra as object), Client: RecordingClient },
  } as typeof options).initialize();
  await source.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [ID]);
  statements = await findStatements();
});
afterAll(async () => {
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

test('every function that sends statements is called here, and no other', () => {
  expect(Object.keys(STATEMENT_CALLS).toSorted()).toEqual([...statements.keys()].toSorted());
});

test('queries/*.sql are the statements as sent (UPDATE_QUERIES=1 writes them)', async () => {
  const sent = new Map<string, string>();
  for (const [name, calls] of Object.entries(STATEMENT_CALLS)) {
    const recorded = await record(statements.get(name)!, calls);
    expect([name, recorded.length]).not.toEqual([name, 0]);
    sent.set(`${name}.sql`, `${recorded.map((text) => `${alignStatement(text)};`).join('\n\n')}\n`);
  }

  const dir = join(LIB, 'queries');
  if (IS_UPDATE) writeAll(dir, sent);

  expect(readdirSync(dir).toSorted()).toEqual([...sent.keys()].toSorted());
  for (const [file, text] of sent)
    expect([file, readFileSync(join(dir, file), 'utf8')]).toEqual([file, text]);
  expect(tooWide(sent)).toEqual([]);
});

test('schema.sql is the schema after all migrations (UPDATE_QUERIES=1 writes it)', async () => {
  const schema = await readSchema(source.manager);

  if (IS_UPDATE) writeFileSync(join(LIB, 'schema.sql'), schema);

  expect(readFileSync(join(LIB, 'schema.sql'), 'utf8')).toBe(schema);
});

test('the newest migrations, down to the renames, can be undone and repeated', async () => {
  await using own = await createDatabase();
  const options = { url: own.url, applicationName: 'down', poolSize: 1, commit: 'durable' } as const;
  const migrated = await new DataSource(dataSourceOptions(options)).initialize();
  try {
    while (!(await readSchema(migrated.manager)).includes('CONSTRAINT delivery_report_pkey PRIMARY KEY (id)'))
      await migrated.undoLastMigration({ transaction: 'none' });
    await migrated.runMigrations({ transaction: 'each' });
    expect(await readSchema(migrated.manager)).toBe(await readSchema(source.manager));
  } finally {
    await migrated.destroy();
  }
});

test('every migration file is listed', async () => {
  const files = globSync(join(LIB, 'src/migrations/[0-9]*.ts'));

  expect(Object.keys(await import('../migrations/list.ts'))).toHaveLength(files.length);
});

/** TypeORM quotes its identifiers and writes on one line; the house rule is for statements written by hand. */
function tooWide(sent: ReadonlyMap<string, string>): string[] {
  return [...sent].flatMap(([file, text]) =>
    text
      .split('\n')
      .filter((line) => line.length > 120 && !line.includes('"."') && !/^(INSERT INTO|UPDATE) "/.test(line))
      .map((line) => `${file}: ${line}`),
  );
}

function writeAll(dir: string, files: ReadonlyMap<string, string>): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  for (const [file, text] of files) writeFileSync(join(dir, file), text);
}

/**
 * The place of a clause in a statement that begins with SELECT, UPDATE, DELETE or INSERT at 0: keywords end in one
 * column.
 */
const KEYWORD = /^ *(FROM|WHERE|ORDER|SET|RETURNING|ON CONFLICT|SELECT|VALUES)\b/;
const PLACES: Record<string, number> = { FROM: 2, WHERE: 1, ORDER: 1, SET: 3 };

/** Removes the indentation that a statement has in the source. */
function alignStatement(text: string): string {
  const [first, ...lines] = text.split('\n');
  const shifts = lines.flatMap((line) => {
    const keyword = KEYWORD.exec(line)?.[1];
    return keyword ? [line.search(/\S/) - (PLACES[keyword] ?? 0)] : [];
  });
  const shift = Math.max(0, Math.min(...shifts, Number.MAX_SAFE_INTEGER));
  return [first, ...lines.map((line) => line.slice(Math.min(shift, line.search(/\S|$/))))].join('\n');
}

/** Notes each statement, in the form in which StatementClient gets it. */
class RecordingClient extends StatementClient {
  static sent = new Set<string>();

  override query(text: unknown, values?: unknown, callback?: unknown): unknown {
    if (typeof text === 'string') RecordingClient.sent.add(text);
    return super.query(text, values, callback);
  }
}

const TRANSACTION = /^(START TRANSACTION|COMMIT|ROLLBACK)/;

type Statements = (db: EntityManager, ...args: unknown[]) => unknown;

/** Returns the statements that the calls send, in order, each once. */
async function record(send: Statements, calls: unknown[][]): Promise<string[]> {
  RecordingClient.sent = new Set();
  for (const args of calls) {
    await source.transaction(async (db) => {
      const result = await send(db, ...args);
      if (isGenerator(result)) await result.next();
    });
  }
  return [...RecordingClient.sent].filter((text) => !TRANSACTION.test(text));
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.asyncIterator in value;
}

/** Finds the exported functions of this library that take an EntityManager, by `<folder>-<name>`. */
async function findStatements(): Promise<Map<string, Statements>> {
  const found = new Map<string, Statements>();
  const files = globSync(join(LIB, 'src/*/*.ts')).filter((file) => !file.endsWith('.spec.ts'));
  for (const file of files.filter((path) => !['migrations', 'core'].includes(basename(dirname(path))))) {
    const exported = Object.entries((await import(file)) as Record<string, unknown>);
    for (const [name, value] of exported.filter(([, each]) => takesManager(each)))
      found.set(`${basename(dirname(file))}-${name}`, value as Statements);
  }
  return found;
}

function takesManager(value: unknown): boolean {
  return typeof value === 'function' && /^(async )?function\*? \w+\(db\b/.test(String(value));
}
