import pg from 'pg';

const { TIMESTAMPTZ } = pg.types.builtins;

/** The types text[] and uuid[], which `builtins` lacks. Both are read as texts. */
const TEXT_ARRAY = 1009 as typeof TIMESTAMPTZ;
const UUID_ARRAY = 2951 as typeof TIMESTAMPTZ;

const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date | number | null;
const parseAnyTexts = pg.types.getTypeParser(TEXT_ARRAY) as (text: string) => (string | null)[];

/** A time in UTC, of a year with four digits. */
const IN_UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;

/** Texts without quotes, at least one. */
const UNQUOTED = /^\{[^{}"\\]+\}$/;

/** Lets a client parse the usual forms of `timestamptz`, `text[]` and `uuid[]` faster. The values are those of pg. */
export function setParsers(client: Pick<pg.Client, 'setTypeParser'>): void {
  client.setTypeParser(TIMESTAMPTZ, parseTimestamp);
  client.setTypeParser(TEXT_ARRAY, parseTexts);
  client.setTypeParser(UUID_ARRAY, parseTexts);
}

/** The second that was parsed last, as text and in epoch milliseconds: the times of a batch are close together. */
let [lastSecond, lastSecondMs] = ['', 0];

/** Parses a timestamptz as pg does. */
export function parseTimestamp(text: string): Date | number | null {
  if (!IN_UTC.test(text)) return parseAnyTimestamp(text);
  const second = text.slice(0, 19);
  if (second !== lastSecond)
    [lastSecond, lastSecondMs] = [second, Date.parse(`${second.replace(' ', 'T')}Z`)];
  return new Date(lastSecondMs + Number(text.slice(20, -3).padEnd(3, '0').slice(0, 3)));
}

/** Parses a text[] as pg does, which makes an object for each character. */
export function parseTexts(text: string): (string | null)[] {
  if (!UNQUOTED.test(text) || text.includes('NULL')) return parseAnyTexts(text);
  return text.slice(1, -1).split(',');
}
