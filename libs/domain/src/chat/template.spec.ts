import { expect, test } from '@jest/globals';
import { TEMPLATE_SAMPLES, mediaSamples } from '@signalbox/test/template-samples';
import fc from 'fast-check';
import { readableText } from './message.ts';
import { type CompiledTemplate, compileTemplate, renderTemplate } from './template.ts';
import type { Category, TemplateComponent } from '../templates/template.ts';

const SAMPLES = {
  ...TEMPLATE_SAMPLES,
  ...mediaSamples({ IMAGE: 'h-image', VIDEO: 'h-video', DOCUMENT: 'h-document' }),
};

function compile(
  components: object[],
  category = 'UTILITY',
  codeExpirationMinutes: number | null = null,
): CompiledTemplate {
  const content = {
    category: category.toUpperCase() as Category,
    components: components as TemplateComponent[],
  };
  return compileTemplate({ ...content, allowCategoryChange: false, codeExpirationMinutes });
}

function compileSample(name: string): CompiledTemplate {
  const { components, category, code_expiration_minutes = null } = SAMPLES[name]!;
  return compile(components, category, code_expiration_minutes);
}

const body = (text: string): object => ({ type: 'BODY', text });

test.each([
  ['copy_code', 0],
  ['autofill', 0],
  ['zero_tap', 0],
  ['marketing_simple', 0],
  ['marketing_text_header', 3],
  ['catalog', 1],
  ['carousel', 2],
  ['flow', 0],
  ['utility_simple', 0],
  ['order_details', 5],
  ['catalog_item', 0],
  ['marketing_image', 2],
  ['marketing_video', 2],
  ['utility_document', 2],
])('the sample %s takes %i values and shows each of them', (name, count) => {
  const template = compileSample(name);
  const params = Array.from({ length: count }, (_, i) => `<value ${i + 1}>`);

  const shown = renderTemplate(template, { params, ...(template.carriesCode && { code: '73X91Q' }) });

  expect(Object.keys(SAMPLES)).toContain(name);
  expect([template.paramCount, template.carriesCode]).toEqual([
    count,
    SAMPLES[name]!.category.toUpperCase() === 'AUTHENTICATION',
  ]);
  for (const value of template.carriesCode ? ['73X91Q'] : params)
    expect(JSON.stringify(shown)).toContain(value);
  expect(JSON.stringify(shown)).not.toMatch(/\{\{|undefined/);
});

test('a repeated placeholder gets the same value and counts once', () => {
  const link = { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go', url: 'https://example.com/{{2}}' }] };
  const template = compile([body('{{1}}, {{1}} and {{2}}'), link]);

  expect(template.paramCount).toBe(2);
  expect(renderTemplate(template, { params: ['a', 'b'] })).toEqual({
    body: 'a, a and b',
    buttons: [{ type: 'URL', text: 'Go', url: 'https://example.com/b' }],
  });
});

test('values are inserted unchanged, even if they look like placeholders', () => {
  const piece = fc.oneof(
    fc.constantFrom('{{1}}', '{{2}}', '{{3}}'),
    fc.constantFrom('a', ' ', '$&', '{', '}x'),
  );
  const value = fc.oneof(fc.constantFrom('{{1}}', '{{2}}', '{{3}}', '$1', '$&', '{', '}}'), fc.string());
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1 }), fc.tuple(value, value, value), (pieces, params) => {
      const text = pieces.join('');
      fc.pre(!/\{\{(?![123]\}\})|\{{3}|\}{3}/.test(text));
      const expected = text
        .split(/(\{\{[123]\}\})/)
        .map((part, i) => (i % 2 ? params[Number(part[2]) - 1] : part))
        .join('');
      expect(renderTemplate(compile([body(text)]), { params }).body).toBe(expected);
    }),
  );
});

test('a code fills the body and the button, whatever the values are', () => {
  const shown = renderTemplate(compileSample('copy_code'), { params: ['other'], code: '{{1}}' });

  expect(shown).toEqual({
    body: '{{1}} is your verification code. For your security, do not share this code.',
    footer: 'This code expires in 10 minutes.',
    buttons: [{ type: 'OTP', text: 'Copy code', otp_type: 'COPY_CODE', code: '{{1}}' }],
  });
});

test.each([
  [null, undefined],
  [1, 'This code expires in 1 minute.'],
  [90, 'This code expires in 90 minutes.'],
])('with code_expiration_minutes %j the footer is %j', (minutes, footer) => {
  expect(compile([body('{{1}} is your code.')], 'AUTHENTICATION', minutes).footer).toBe(footer);
});

test('a text header is filled by its own value', () => {
  const greeting = compile([{ type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' }, body('Order {{1}}')]);
  const header = { type: 'text' as const, text: '{{1}}' };
  expect(renderTemplate(greeting, { params: ['A1'], header })).toEqual({
    header: { type: 'text', text: 'Hi {{1}}' },
    body: 'Order A1',
  });
});

test('a media header shows the file of the message, or by default that of the template', () => {
  const invoice = compileSample('utility_document');
  const document = { link: 'https://example.com/1.pdf', filename: 'Invoice.pdf' };
  const withFile = renderTemplate(invoice, { params: ['Asha', '7'], header: { type: 'document', document } });
  expect(withFile.header).toEqual({ type: 'document', ...document });
  expect(renderTemplate(invoice, { params: ['Asha', '7'] }).header).toEqual({
    type: 'document',
    handle: 'h-document',
  });
});

test('the readable text of cards has their values filled in', () => {
  const shown = renderTemplate(compileSample('carousel'), { params: ['Asha', 'Ravi'] });

  expect(readableText(shown).split('\n').slice(0, 3)).toEqual([
    'Hi Asha, here are our picks for you',
    'A hat for Ravi',
    'While stocks last',
  ]);
  expect(shown.cards).toHaveLength(10);
});
