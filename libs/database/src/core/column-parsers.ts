import pg from 'pg';

const { TIMESTAMPTZ } = pg.types.builtins;

/** The type text[], which `builtins` lacks. */
const TEXT_ARRAY = 1009 as typeof TIMESTAMPTZ;

const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date | number | null;
const parseAnyTexts = pg.types.getTypeParser(TEXT_ARRAY) as (text: string) => (string | null)[];

/** A time in UTC, of a year with four digits. */
const IN_UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;

/** Texts without quotes, at least one. */
const UNQUOTED = /^\{[^{}"\\]+\}$/;

/** Lets a client parse the usual forms of `timestamptz` and `text[]` faster. The values are those of pg. */
export function setParsers(client: Pick<pg.Client, 'setTypeParser'>): void {
  client.setTypeParser(TIMESTAMPTZ, parseTimestamp);
  client.setTypeParser(TEXT_ARRAY, parseTexts);
}

/** Parses a timestamptz as pg does. */
export function parseTimestamp(text: string): Date | number | null {
  if (!IN_UTC.test(text)) return parseAnyTimestamp(text);
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}

/** Parses a text[] as pg does, which makes an object for each character. */
export function parseTexts(text: string): (string | null)[] {
  if (!UNQUOTED.test(text) || text.includes('NULL')) return parseAnyTexts(text);
  return text.slice(1, -1).split(',');
}
