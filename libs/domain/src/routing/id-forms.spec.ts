import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyIdForm, describeIdForm, idCandidates } from './id-forms.ts';
import { RULE_HITS, addMatch, type IdEvidence } from './id-rule.ts';
import { matchOrphan } from './orphan-match.ts';

const LARGE = fc.bigInt({ min: 1n, max: 2n ** 72n - 1n });
const UUID_DIGITS = fc.stringMatching(/^[\da-f]{32}$/);
const dashed = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Pairs of an answered id and the id that the report of the same message bears. */
const SPELLINGS: Record<string, fc.Arbitrary<[answered: string, reported: string]>> = {
  'as it was': LARGE.map((n) => [n.toString(16), n.toString(16)]),
  'in lower case': LARGE.map((n) => [n.toString(16).toUpperCase(), n.toString(16)]),
  'in upper case': LARGE.map((n) => [n.toString(36), n.toString(36).toUpperCase()]),
  'with its zeros lost': LARGE.map((n) => [n.toString().padStart(22, '0'), n.toString()]),
  'with zeros added': LARGE.map((n) => [n.toString(16), n.toString(16).padStart(20, '0')]),
  'in decimal': LARGE.map((n) => [n.toString(16), n.toString()]),
  'in decimal of upper-case digits': LARGE.map((n) => [n.toString(16).toUpperCase(), n.toString()]),
  'in decimal of padded digits': LARGE.map((n) => [n.toString(16).padStart(16, '0'), n.toString()]),
  'in padded decimal': LARGE.map((n) => [n.toString(16), n.toString().padStart(20, '0')]),
  'in hexadecimal': LARGE.map((n) => [n.toString(), n.toString(16).toUpperCase()]),
  'in hexadecimal of a padded number': LARGE.map((n) => [n.toString().padStart(10, '0'), n.toString(16)]),
  'without its dashes': UUID_DIGITS.map((id) => [dashed(id), id]),
  'with dashes': UUID_DIGITS.map((id) => [id, dashed(id)]),
  'with a prefix': LARGE.map((n) => [n.toString(), `SMSC-7-${n}`]),
  'with letters before it': LARGE.map((n) => [n.toString(), `MSG${n}`]),
  'without its prefix': LARGE.map((n) => [`SMSC-${n}`, n.toString()]),
};
const SAMPLE = ['SMSC-19', 'SMSC-20'.padEnd(22, '0')];

test.each(Object.entries(SPELLINGS))('an id that is reported %s is among its candidates', (_, pairs) => {
  fc.assert(
    fc.property(pairs, ([answered, reported]) => {
      const found = idCandidates(reported, SAMPLE).find(({ id }) => id === answered);
      expect(found?.forms.length).toBeGreaterThan(0);
      for (const form of found?.forms ?? []) expect(applyIdForm(form, reported)).toBe(answered);
    }),
  );
});

test('every candidate of any text is named by forms that lead to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (reported, sample) => {
      const candidates = idCandidates(reported, sample);
      expect(candidates[0]?.id).toBe(reported);
      expect(new Set(candidates.map(({ id }) => id)).size).toBe(candidates.length);
      for (const { id, forms } of candidates.slice(1))
        for (const form of forms)
          expect([applyIdForm(form, reported), describeIdForm(form)]).toEqual([
            id,
            expect.not.stringMatching('unknown'),
          ]);
    }),
  );
});

test('an unknown form and an id beyond 64 characters are not respelled', () => {
  expect(applyIdForm('toString', '1')).toBeUndefined();
  expect(applyIdForm('hex:0', '1'.repeat(65))).toBeUndefined();
  expect(idCandidates('1'.repeat(65))).toEqual([{ id: '1'.repeat(65), forms: ['exact'] }]);
});

/** The evidence after some matches. */
const after = (...matches: string[][]): IdEvidence[] => matches.reduce<IdEvidence[]>(addMatch, []);
const ruleOf = (evidence: IdEvidence[]): string | undefined => evidence.find(({ isRule }) => isRule)?.form;
const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value);

test('a form becomes the rule with its twentieth match in a row', () => {
  expect(ruleOf(after(...times(RULE_HITS - 1, ['hex:0'])))).toBeUndefined();
  expect(ruleOf(after(...times(RULE_HITS, ['hex:0'])))).toBe('hex:0');
});

test('a match that a form does not explain sets it back, and ends it as the rule', () => {
  const almost = times(RULE_HITS - 1, ['hex:0']);
  expect(ruleOf(after(...almost, ['upper'], ['hex:0']))).toBeUndefined();
  expect(ruleOf(after(...almost, ['hex:0'], ['upper']))).toBeUndefined();
});

test('of forms that explain every match, the widest becomes the rule', () => {
  expect(ruleOf(after(...times(RULE_HITS, ['hex:0', 'hex:8'])))).toBe('hex:8');
  expect(ruleOf(after(['hex:8'], ...times(RULE_HITS, ['hex:0', 'hex:8'])))).toBe('hex:8');
});

test('neither the id as it is nor a revoked form becomes the rule', () => {
  const revoked = [{ form: 'hex:0', hits: 100, isRule: false, isRevoked: true }];
  expect(ruleOf(after(...times(RULE_HITS, ['exact'])))).toBeUndefined();
  expect(ruleOf(addMatch(revoked, ['hex:0']))).toBeUndefined();
});

const known = (gatewayMessageId: string, messageId: string, recipient = '919800000100') => ({
  gatewayMessageId,
  messageId,
  recipient,
});
const match = (reported: string, recipient: string | null, rows: ReturnType<typeof known>[], rule?: string) =>
  matchOrphan({ gatewayMessageId: reported, recipient }, idCandidates(reported), rows, rule);

test('a report matches a message of its recipient only', () => {
  expect(match('255', '919800000100', [known('ff', 'a')])?.row.messageId).toBe('a');
  expect(match('255', '+91 98000 00100', [known('ff', 'a')])?.row.messageId).toBe('a');
  expect(match('255', '09800000100', [known('ff', 'a')])?.row.messageId).toBe('a');
  expect(match('255', '919800000101', [known('ff', 'a')])).toBeUndefined();
});

test('a report without a recipient matches another spelling of its digits only, and the rule', () => {
  expect(match('00ff', null, [known('ff', 'a')])?.row.messageId).toBe('a');
  expect(match('255', null, [known('ff', 'a')])).toBeUndefined();
  expect(match('255', null, [known('ff', 'a')], 'hex:0')?.row.messageId).toBe('a');
});

test('of several messages the id as reported wins, then the rule, and neither teaches', () => {
  const rows = [known('ff', 'a'), known('000000FF', 'b')];
  expect(match('255', '919800000100', rows)).toBeUndefined();
  expect(match('255', '919800000100', rows, 'HEX:8')).toMatchObject({ row: { messageId: 'b' }, forms: [] });
  expect(match('255', '919800000100', [...rows, known('255', 'c')], 'HEX:8')).toMatchObject({
    row: { messageId: 'c' },
    forms: [],
  });
});
