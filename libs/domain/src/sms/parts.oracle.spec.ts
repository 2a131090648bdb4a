import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { countParts, type SmsSize } from './parts.ts';

/** What another program says, which splits a text into its parts to count them. */
function askOracle(text: string, encoding: 'auto' | 'UCS-2' = 'auto'): SmsSize {
  const { encodingName, segmentsCount } = new SegmentedMessage(text, encoding);
  return { encoding: encodingName as SmsSize['encoding'], parts: segmentsCount };
}

const GSM = fc.constantFrom(...'aZ5 @é_Ω\n\r£', ...'€{~|^\\[]\f');
/** No two of them make one visible sign together. */
const SINGLE = fc.constantFrom('न', 'я', '中', '😀', '𝄞', 'a', '€', ' ');
/** Looking for a smaller failure would take the oracle minutes. */
const runs = { numRuns: 150, endOnFailure: true };

test('a text of GSM 03.38 has as many parts as the oracle makes of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: GSM, maxLength: 800, size: 'max' }), (text) => {
      expect(countParts(text, false)).toEqual(askOracle(text));
    }),
    runs,
  );
});

test('so has one beyond it, and one that is Unicode by wish', () => {
  fc.assert(
    fc.property(fc.string({ unit: SINGLE, maxLength: 400, size: 'max' }), (text) => {
      expect(countParts(text, false)).toEqual(askOracle(text));
      expect(countParts(text, true)).toEqual(askOracle(text, 'UCS-2'));
    }),
    runs,
  );
});

/**
 * Where signs are made of several characters (a family of emoji, a letter and its accent, a Devanagari conjunct) the oracle is wrong: it
 * keeps the whole sign in one part and begins another too early. 3GPP TS 23.040 joins the parts before anything is drawn, so only a
 * surrogate pair must stay whole, and the caller would pay for parts that no gateway sends.
 */
test('of signs made of several characters the oracle makes as many parts or more', () => {
  const unit = fc.constantFrom('👨‍👩‍👧', 'e\u0301', 'न्', '👩🏽', '🇮🇳', 'я');
  let differences = 0;
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 200, size: 'max' }), (text) => {
      const { encoding, parts } = countParts(text, false);
      const oracle = askOracle(text);
      expect(encoding).toBe(oracle.encoding);
      expect(parts).toBeLessThanOrEqual(oracle.parts);
      differences += Number(parts < oracle.parts);
    }),
    runs,
  );
  expect(differences).toBeGreaterThan(0);
});
