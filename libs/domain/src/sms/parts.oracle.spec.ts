import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { countParts, type SmsSize } from './parts.ts';

/** Asks another library, which splits a text into its parts to count them. */
function askOracle(text: string, encoding: 'auto' | 'UCS-2' = 'auto'): SmsSize {
  const { encodingName, segmentsCount } = new SegmentedMessage(text, encoding);
  return { encoding: encodingName as SmsSize['encoding'], parts: segmentsCount };
}

const GSM = fc.constantFrom(...'aZ5 @é_Ω\n\r£', ...'€{~|^\\[]\f');
/** Characters that never combine to one visible sign. */
const SINGLE = fc.constantFrom('न', 'я', '中', '😀', '𝄞', 'a', '€', ' ');
/** Does not shrink failures: that would take the oracle minutes. */
const runs = { numRuns: 150, endOnFailure: true };

test('GSM 03.38 texts have as many parts as in the oracle', () => {
  fc.assert(
    fc.property(fc.string({ unit: GSM, maxLength: 800, size: 'max' }), (text) => {
      expect(countParts(text, false)).toEqual(askOracle(text));
    }),
    runs,
  );
});

test('Unicode texts, by content or by request, have as many parts as in the oracle', () => {
  fc.assert(
    fc.property(fc.string({ unit: SINGLE, maxLength: 400, size: 'max' }), (text) => {
      expect(countParts(text, false)).toEqual(askOracle(text));
      expect(countParts(text, true)).toEqual(askOracle(text, 'UCS-2'));
    }),
    runs,
  );
});

/**
 * The oracle is wrong about signs of several characters (an emoji family, a letter and its accent, a Devanagari
 * conjunct): it keeps the whole sign in one part and starts the next part too early. 3GPP TS 23.040 joins the parts
 * before display, so only surrogate pairs must stay whole. The caller would pay for parts that no gateway sends.
 */
test('signs of several characters need at most as many parts as in the oracle', () => {
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
