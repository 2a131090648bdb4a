import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { parseTexts, parseTimestamp } from './column-parsers.ts';

const parserOf = pg.types.getTypeParser as (oid: number) => (text: string) => unknown;
const parseAnyTexts = parserOf(1009);
const parseAnyTimestamp = parserOf(pg.types.builtins.TIMESTAMPTZ);

/** Writes texts as Postgres does: it quotes those that an array could not be read with otherwise. */
function written(texts: readonly (string | null)[]): string {
  const isUnsafe = (text: string): boolean => text === '' || /^null$/i.test(text) || /[{}",\\\s]/.test(text);
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `{${texts.map((text) => (text === null ? 'NULL' : isUnsafe(text) ? quoted(text) : text)).join(',')}}`;
}

const TEXT = fc.oneof(
  fc.constantFrom(null, '', 'NULL', 'null', 'ANNULLED', '{}', ',', '"', '\\', 'two words', '919800000001'),
  fc.string({ unit: 'grapheme' }),
);

test('an array of texts is parsed as pg parses it', () => {
  fc.assert(
    fc.property(fc.array(TEXT), (texts) => {
      expect(parseTexts(written(texts))).toEqual(texts);
      expect(parseAnyTexts(written(texts))).toEqual(texts);
    }),
  );
  for (const other of ['{{a,b},{c,d}}', '[2:3]={a,b}'])
    expect(parseTexts(other)).toEqual(parseAnyTexts(other));
});

test('an array of ids is parsed as pg parses it', () => {
  const parseAnyIds = parserOf(2951);
  fc.assert(
    fc.property(fc.array(fc.option(fc.uuid())), (ids) => {
      expect(parseTexts(written(ids))).toEqual(parseAnyIds(written(ids)));
    }),
  );
});

const INSTANT = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const ZONE = fc.constantFrom('+00', '-05', '+05:30', '+00:19:32', '+00 BC');

test('a timestamp is parsed as pg parses it', () => {
  fc.assert(
    fc.property(INSTANT, fc.nat(999_999), fc.nat(6), ZONE, (at, micros, digits, zone) => {
      const fraction = digits === 0 ? '' : `.${String(micros).padStart(6, '0').slice(0, digits)}`;
      const text = at.toISOString().replace('T', ' ').slice(0, 19) + fraction + zone;
      expect(parseTimestamp(text)).toEqual(parseAnyTimestamp(text));
    }),
  );
  for (const other of ['infinity', '-infinity', '12026-11-26 09:00:00+00'])
    expect(parseTimestamp(other)).toEqual(parseAnyTimestamp(other));
});

test('each millisecond of a second is kept', () => {
  for (let ms = 0; ms < 1_000; ms += 1) {
    const fraction = `.${String(ms).padStart(3, '0')}`.replace(/\.?0+$/, '');
    expect(Number(parseTimestamp(`1970-01-01 00:00:00${fraction}+00`))).toBe(ms);
  }
});
