import { arrayLiteral } from './array-literal.ts';
import { sql } from './sql.ts';

/** The types of columns in this database, with the values that a parameter of each may have. */
interface ColumnTypes {
  uuid: string;
  text: string;
  integer: number;
  smallint: number;
  bigint: number;
  boolean: boolean;
  bytea: Buffer;
  time: string;
  timestamptz: Date;
  /** Sent as JSON. */
  jsonb: unknown;
}
type ColumnType = keyof ColumnTypes;

/** A column whose value is worked out from the row. */
type ReadColumn = readonly [type: ColumnType, read: (row: never, index: number) => unknown];

type Columns = Readonly<Record<string, ColumnType | ReadColumn>>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The type of a row: a property for each column that has no function, and whatever the functions read. */
type RowOf<C extends Columns> = PropertiesOf<C> & ReadBy<C[keyof C]>;

type PropertiesOf<C extends Columns> = {
  readonly [Name in keyof C & string as C[Name] extends ColumnType ? CamelCase<Name> : never]:
    | (C[Name] extends ColumnType ? ColumnTypes[C[Name]] : never)
    | null
    | undefined;
};

type ReadBy<Column> = [Extract<Column, ReadColumn>] extends [never]
  ? unknown
  : Extract<Column, ReadColumn> extends readonly [ColumnType, (row: infer Row, index: number) => unknown]
    ? Row
    : never;

/** Rows as parameters of one statement: an array per column. */
export interface Rowset<Row> {
  /** `unnest($1::uuid[], …) AS call(id, …)`, or a query of it in parentheses, for FROM. */
  from: string;
  /** The rows in the order of a key, for the FROM of a statement that locks: two such statements never deadlock. */
  sorted(key: string): string;
  /** `id, lane, …`: its columns, for INSERT and SELECT. */
  columns: string;
  /** The parameters of `from`, in order. */
  values(rows: readonly Row[]): string[];
}

/**
 * Declares the columns of a bulk statement once, each with its type: `rowset('call', { id: 'uuid', account_id: 'uuid'
 * })`. A column is the property of the same name in camel case, or what a function makes of the row: `['text', (row:
 * Row) => …]`. Undefined is sent as NULL.
 *
 * @param first the number of its first parameter; scalar parameters may stand before and after it
 * @param alike columns that often have one value in all rows: it is then sent once, which costs less to write, send and
 * read
 */
export function rowset<const C extends Columns>(
  alias: string,
  columns: C,
  first = 1,
  alike: readonly (keyof C & string)[] = [],
): Rowset<RowOf<C>> {
  const names = Object.keys(columns);
  const types = Object.values(columns).map((column) => (typeof column === 'string' ? column : column[0]));
  const arrays = types.map((type, i) => `$${first + i}::${type}[]`);
  const readers = Object.entries(columns).map(([name, column]) => readerOf(name, column));
  const isAlike = names.map((name) => alike.includes(name));
  const from = alike.length === 0 ? unnest(alias, names, arrays) : spread(alias, names, arrays, isAlike);
  return {
    from,
    sorted: (key) => sql`
      (
        SELECT *
          FROM ${from}
         ORDER BY ${key}
      ) AS ${alias}`,
    columns: wrap(names, 0),
    values: (rows) => readers.map((read, i) => arrayLiteral(shortened(rows.map(read), i, isAlike[i]!))),
  };
}

function unnest(alias: string, names: string[], arrays: string[]): string {
  return `unnest(${wrap(arrays, 'unnest('.length)})\n  AS ${alias}(${wrap(names, `  AS ${alias}(`.length)})`;
}

/** The rows of `unnest`, where an array of one value stands for that value in all rows. */
function spread(alias: string, names: string[], arrays: string[], isAlike: readonly boolean[]): string {
  const columns = names.map((name, i) => {
    if (!isAlike[i]) return `given.${name}`;
    const [parameter] = arrays[i]!.split('::');
    return `CASE cardinality(${parameter}) WHEN 1 THEN ${parameter}[1] ELSE given.${name} END AS ${name}`;
  });
  return sql`
    (
      SELECT ${columns.join(',\n')}
        FROM ${unnest('given', names, arrays)}
    ) AS ${alias}`;
}

/**
 * The ids of parameter 1 as `named`, in their order, for the FROM of a statement that locks their rows. A plan of `id =
 * ANY($1)` may lock them in the order in which they lie in the table.
 */
export const NAMED_IDS = rowset('named', { id: 'uuid' }).sorted('id');

/**
 * Sends a column that is NULL in every row as an empty array, which unnest fills up with NULL: fewer values to write,
 * send and read. Sends a column of `alike` that has one value in every row as that value. The first column is sent
 * whole, because it makes the rows.
 */
function shortened(column: unknown[], i: number, isAlike: boolean): unknown[] {
  if (i === 0 || column.length < 2) return column;
  const first = column[0] ?? null;
  if (first !== null && !isAlike) return column;
  if (column.some((value) => (value ?? null) !== first)) return column;
  return first === null ? [] : [first];
}

type Reader = (row: unknown, index: number) => unknown;

function readerOf(name: string, column: ColumnType | ReadColumn): Reader {
  const isPlain = typeof column === 'string';
  const property = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const read = isPlain ? (row: unknown) => (row as Record<string, unknown>)[property] : (column[1] as Reader);
  return encoded(isPlain ? column : column[0], read);
}

/**
 * JSON and times are sent as text: the driver would send a JSON array as an array of Postgres, and a time in the local
 * zone.
 */
function encoded(type: ColumnType, read: Reader): Reader {
  if (type === 'jsonb') {
    return (row, index) => {
      const value = read(row, index);
      return value === null || value === undefined ? null : JSON.stringify(value);
    };
  }
  return type === 'timestamptz' ? isoReader(read) : read;
}

/** Formats a time once for consecutive rows that share it. */
function isoReader(read: Reader): Reader {
  let last = Number.NaN;
  let text = '';
  return (row, index) => {
    const at = read(row, index) as Date | null | undefined;
    if (!at) return at;
    if (at.getTime() !== last) [last, text] = [at.getTime(), at.toISOString()];
    return text;
  };
}

const WIDTH = 84;

/** A list, with a new line where it would be wider than WIDTH. */
function wrap(items: string[], indent: number): string {
  let width = indent;
  let text = '';
  for (const [i, item] of items.entries()) {
    const isFull = i > 0 && width + item.length > WIDTH;
    if (i > 0) text += isFull ? `,\n${' '.repeat(indent)}` : ', ';
    text += item;
    width = (isFull ? indent : width) + item.length + 2;
  }
  return text;
}
