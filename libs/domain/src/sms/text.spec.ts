import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countLinks, countValues, fillPieces, parseLinks, parseTemplate, renderText } from './text.ts';

const linkAt = (link: number): string => `<${link}>`;

test.each([
  ['', []],
  ['Hello', ['Hello']],
  ['{{shortUrl}}', [{ link: 1 }]],
  ['a {{shortUrl2}} b {{shortUrl1}}', ['a ', { link: 2 }, ' b ', { link: 1 }]],
  ['{{1}} {#var#} {{shortUrl0}} {{shorturl}}', ['{{1}} {#var#} {{shortUrl0}} {{shorturl}}']],
])('only links are parsed in the text %j', (text, pieces) => {
  expect(parseLinks(text)).toEqual(pieces);
});

test.each([
  ['Hi {{1}}, {{2}}', ['Hi ', { value: 1 }, ', ', { value: 2 }]],
  ['{#var#}{#var#} {{shortUrl}}', [{ value: 1 }, { value: 2 }, ' ', { link: 1 }]],
])('values and links are parsed in the template %j', (text, pieces) => {
  expect(parseTemplate(text)).toEqual(pieces);
  expect([countValues(parseTemplate(text)), countLinks(parseTemplate('{{shortUrl3}} {{shortUrl}}'))]).toEqual(
    [2, 3],
  );
});

test('a value that looks like a placeholder is literal text', () => {
  const pieces = parseTemplate('{{1}}{{2}}{{shortUrl}}');

  expect(renderText(pieces, ['{{2}}', '{#var#}{{shortUrl}}'], linkAt)).toBe('{{2}}{#var#}{{shortUrl}}<1>');
  expect(fillPieces(pieces, ['{{2}}', '{{shortUrl}}'], null)).toEqual(['{{2}}{{shortUrl}}', { link: 1 }]);
});

test('filling in step by step gives the same text as rendering', () => {
  const piece = fc.constantFrom('a ', 'b', '{{1}}', '{{2}}', '{{shortUrl}}', '{{shortUrl2}}');
  const value = fc.constantFrom('', 'x', '{{1}}', '{{shortUrl}}');
  fc.assert(
    fc.property(fc.array(piece), fc.tuple(value, value), (texts, values) => {
      const pieces = parseTemplate(texts.join(''));
      const whole = renderText(pieces, values, linkAt);
      expect(renderText(fillPieces(pieces, values, null), [], linkAt)).toBe(whole);
      expect(renderText(fillPieces(fillPieces(pieces, values, null), null, ['<1>', '<2>']), [], linkAt)).toBe(
        whole,
      );
    }),
  );
});
