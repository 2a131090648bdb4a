import { expect, test } from '@jest/globals';
import type { SmsTemplate } from '@signalbox/client';
import { recipientsOf, toFile } from '../../parts/recipients/recipients.ts';
import {
  EMPTY_DRAFT,
  type SmsDraft,
  previewOf,
  problemOf,
  requestOf,
  unfilledOf,
  withoutFile,
} from './sms-draft.ts';

const FILE = toFile('people.csv', [
  ['name', 'phone', 'order'],
  ['Ann', '+91 98000 00100', 'A1'],
  ['Bea', '12ab', 'B2'],
  ['Cyd', '919800000102', 'C3'],
  ['Ann again', '919800000100', 'A9'],
]);
const TEMPLATE = {
  id: '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a42',
  name: 'shipped',
  text: 'Hi {{1}}, {{2}} is at {{shortUrl}}',
  variables: 2,
  sender: 'SHOP',
  type: null,
} as SmsTemplate;

const draft = (given: Partial<SmsDraft>): SmsDraft => ({ ...EMPTY_DRAFT, ...given });

test('numbers in any notation are read, and bad and repeated ones are named', () => {
  const typed = '+91 98000-00100, 919800000101\nhello;919800000100';

  expect(recipientsOf({ typed, file: undefined })).toEqual({
    numbers: [
      { digits: '919800000100', row: 0 },
      { digits: '919800000101', row: 1 },
      { digits: '919800000100', row: 3 },
    ],
    bad: [{ place: 3, text: 'hello' }],
    repeated: ['919800000100'],
  });
});

test('a file names its columns, and the one with the numbers', () => {
  expect(FILE).toMatchObject({ columns: ['name', 'phone', 'order'], numberColumn: 1 });
  expect(toFile('bare.csv', [['919800000100'], ['919800000101']])).toMatchObject({
    columns: ['Column 1'],
    rows: [['919800000100'], ['919800000101']],
  });
});

test('values of columns stay with their recipients when others are left out', () => {
  const composed = draft({
    file: FILE,
    leavesOutBad: true,
    template: TEMPLATE,
    values: [{ column: 0 }, { column: 2 }],
    links: ['https://example.com/orders'],
  });

  expect(requestOf(composed, recipientsOf(composed))).toEqual({
    to: ['919800000100', '919800000102'],
    type: 'TRANS',
    templateId: TEMPLATE.id,
    custom: [
      ['Ann', 'A1'],
      ['Cyd', 'C3'],
    ],
    shortenUrlData: { shortenUrl: true, targetUrl: ['https://example.com/orders'] },
  });
  expect(previewOf(composed, 2, 'https://sms.example')).toMatch(
    /^Hi Cyd, C3 is at https:\/\/sms\.example\/s\/.{12}$/,
  );
});

test('without its file a draft keeps its template and the typed values', () => {
  const values = [{ text: 'A1' }, { column: 2 }];
  const composed = draft({ file: FILE, template: TEMPLATE, values });

  expect({ ...composed, ...withoutFile(composed) }).toEqual({
    ...composed,
    file: undefined,
    values: [{ text: 'A1' }, { text: '' }],
  });
});

test('a preview names the values that are not there, and a request leaves them empty', () => {
  const composed = draft({ template: TEMPLATE, type: 'PROMO' });

  expect(previewOf(composed, 0, '', (n) => `[${n}]`)).toMatch(/^Hi \[1\], \[2\] is at /);
  expect(requestOf(composed, recipientsOf(composed))).toMatchObject({
    text: expect.stringMatching(/^Hi ,  is at /),
  });
});

test('a text keeps its braces, and has links only when it is transactional', () => {
  const text = 'Use {{1}} at {{shortUrl}}';

  expect(previewOf(draft({ text, links: ['https://a.example'], shortens: false }), 0, '')).toBe(
    'Use {{1}} at https://a.example',
  );
  const promo = draft({ text, type: 'PROMO' });
  expect(requestOf(promo, recipientsOf(promo))).toEqual({ to: [], type: 'PROMO', text });
});

test.each<[string, Partial<SmsDraft>, string | undefined]>([
  ['no recipient', {}, 'at least one recipient'],
  ['an invalid number', { typed: 'x, 919800000100' }, 'Correct the invalid numbers'],
  ['too many recipients', { typed: '919800000100,919800000101,919800000102' }, 'at most 2'],
  ['no sender', { typed: '919800000100' }, 'Name the sender'],
  ['no text', { typed: '919800000100', sender: 'SHOP' }, 'Write the text'],
  ['the sender of a template', { typed: '919800000100', template: TEMPLATE }, undefined],
])('a draft with %s says what is missing', (_, given, problem) => {
  const composed = draft(given);
  const said = problemOf(composed, recipientsOf(composed), 2);

  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(problem);
});

test.each([
  ['Hi {{1}}, {{2}} has shipped', '{{1}}'],
  ['Hi {#var#}', '{#var#}'],
  ['Hi {{first name}}, see {{shortUrl}}', '{{first name}}'],
  ['See {{shortUrl}} or {{shortUrl2}}', undefined],
  ['Braces {1} and {{ }}', '{{ }}'],
  ['Nothing to fill }}{{', undefined],
])('the placeholder of %j that nothing fills is %s', (text, placeholder) => {
  expect(unfilledOf(draft({ text }))).toBe(placeholder);
  expect(unfilledOf(draft({ text, template: TEMPLATE }))).toBeUndefined();
});
