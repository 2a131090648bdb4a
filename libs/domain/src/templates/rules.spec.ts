import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Category, TemplateComponent } from './template.ts';
import { parsePlaceholders, placeholdersOf } from './placeholders.ts';
import { checkTemplate } from './rules.ts';

const body = (text: string, more: object = {}): TemplateComponent => ({ type: 'BODY', text, ...more });
const buttons = (...list: object[]): TemplateComponent => ({
  type: 'BUTTONS',
  buttons: list as TemplateComponent['buttons'] & object,
});
const url = (link: string): object => ({ type: 'URL', text: 'Open', url: link });
const OTP = { type: 'OTP', otp_type: 'COPY_CODE' };

/** Lists the broken rules as `field rule`. */
function broken(
  components: TemplateComponent[],
  category: Category = 'MARKETING',
  codeExpirationMinutes?: number,
): string[] {
  return checkTemplate({ category, components, codeExpirationMinutes }).map(
    ({ field, rule }) => `${field} ${rule}`,
  );
}

describe('placeholders', () => {
  test.each([
    '{{a}}',
    '{{ 1 }}',
    '{{0}}',
    '{{01}}',
    '{{1}',
    '{1}}',
    '{{99999999999999999999}}',
    '{{{{1}}',
    '{{1}}}}',
    '{{}}',
    '{{-1}}',
    '{{1.0}}',
  ])('%s is not a placeholder', (text) => {
    expect(parsePlaceholders(text)).toBeUndefined();
    expect(broken([body(`Hello ${text}`)])).toEqual(['components[0].text invalid_placeholder']);
  });

  test('single braces are literal text', () => {
    expect(parsePlaceholders('{a} {{1}} }{')).toEqual(['{a} ', 1, ' }{']);
  });

  test('the pieces of a text add up to it', () => {
    const piece = fc.oneof(
      fc.string().filter((text) => !/[{}]/.test(text)),
      fc.integer({ min: 1, max: 99 }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.map((each) => (typeof each === 'number' ? `{{${each}}}` : each)).join('');
        expect(placeholdersOf(text)).toEqual(pieces.filter((each) => typeof each === 'number'));
        expect(
          parsePlaceholders(text)!
            .map((each) => (typeof each === 'number' ? `{{${each}}}` : each))
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('the numbers of placeholders', () => {
  test.each(['{{1}} and {{3}}', '{{2}}', '{{2}} {{1}}'])('%s leaves a gap', (text) => {
    expect(broken([body(text)])).toEqual(['components[0].text placeholder_order']);
  });

  test('numbers continue from the body to cards and buttons, and may repeat', () => {
    const cards = [
      {
        header: { type: 'IMAGE', image_url: 'https://x.com/a.png' },
        body: 'Only {{3}}',
        buttons: [url('https://x.com/{{3}}')],
      },
    ];
    const good = [
      buttons(url('https://x.com/{{4}}')),
      { type: 'CAROUSEL', cards } as TemplateComponent,
      body('{{1}}, {{2}}, {{1}}'),
    ];
    expect(broken(good)).toEqual([]);
    expect(broken([body('Hi'), buttons(url('https://x.com/{{2}}'))])).toEqual([
      'components[1].buttons[0].url placeholder_order',
    ]);
  });

  test('a template has at most 50 placeholders', () => {
    const text = Array.from({ length: 50 }, (_, i) => `{{${i + 1}}}`).join(' ');
    expect(broken([body(text)])).toEqual([]);
    expect(broken([body(`${text} {{51}}`)])).toEqual(['components[0].text too_many_placeholders']);
  });

  test('footers and button labels hold no placeholder', () => {
    expect(
      broken([
        body('Hi'),
        { type: 'FOOTER', text: 'Bye {{1}}' },
        buttons({ type: 'FLOW', text: 'Go {{1}}', flow_id: '1' }),
      ]),
    ).toEqual([
      'components[1].text placeholder_not_allowed',
      'components[2].buttons[0].text placeholder_not_allowed',
    ]);
  });

  test('a text header holds {{1}} at most', () => {
    const header = (text: string): TemplateComponent => ({ type: 'HEADER', format: 'TEXT', text });
    expect(broken([header('Order {{1}}'), body('Hi {{1}}')])).toEqual([]);
    expect(broken([header('Order {{2}}'), body('Hi')])).toEqual(['components[0].text placeholder_order']);
    expect(broken([header('{{1}} {{2}}'), body('Hi')])).toEqual(['components[0].text too_many_placeholders']);
    expect(broken([header('{{x}}'), body('Hi')])).toEqual(['components[0].text invalid_placeholder']);
  });
});

describe('examples', () => {
  const example = (body_text: unknown): object => ({ example: { body_text } });

  test('a list has a value for each placeholder of the body or of the template', () => {
    const link = buttons(url('https://x.com/{{2}}'));
    expect(broken([body('Hi {{1}}', example([['a']])), link])).toEqual([]);
    expect(broken([body('Hi {{1}}', example([['a', 'b']])), link])).toEqual([]);
    expect(broken([body('Hi {{1}}', example([['a', 'b', 'c']])), link])).toEqual([
      'components[0].example.body_text[0] example_mismatch',
    ]);
    expect(broken([body('{{1}} {{2}}', example([['a']]))])).toEqual([
      'components[0].example.body_text[0] example_mismatch',
    ]);
  });

  test('values are strings', () => {
    expect(broken([body('{{1}} {{2}}', example([[null, 1]]))])).toEqual([
      'components[0].example.body_text[0][0] null_not_allowed',
      'components[0].example.body_text[0][1] invalid_type',
    ]);
  });

  test('the example of a media header has a handle', () => {
    expect(broken([{ type: 'HEADER', format: 'IMAGE', example: {} }, body('Hi')])).toEqual([
      'components[0].example.header_handle required',
    ]);
  });
});

describe('links', () => {
  test.each([
    ['javascript:alert(1)', 'invalid_format'],
    ['data:text/html,x', 'invalid_format'],
    ['ftp://x', 'invalid_format'],
    ['//x', 'invalid_format'],
    ['', 'invalid_format'],
    ['https://', 'invalid_format'],
    ['http:x.com', 'invalid_format'],
    ['http://u:p@x', 'url_user_info'],
    ['http://u@x/', 'url_user_info'],
    ['https://x.com/a b', 'invalid_character'],
    ['https://x.com\\@y', 'invalid_character'],
    ['https://x.com/\u202e', 'invalid_character'],
    ['https://x/{{1}}{{2}}', 'too_many_placeholders'],
    ['https://{{1}}/x', 'placeholder_not_allowed'],
    ['https://x.{{1}}.com/', 'placeholder_not_allowed'],
    ['https://x/{{a}}', 'invalid_placeholder'],
    ['https://x/{{1}', 'invalid_placeholder'],
    [`https://x.com/${'a'.repeat(2000)}`, 'max_length'],
  ])('the link %s is refused', (link, rule) => {
    expect(broken([body('Hi {{1}} {{2}}'), buttons(url(link))])).toEqual([
      `components[1].buttons[0].url ${rule}`,
    ]);
  });

  test.each([
    'https://x.com',
    'HTTP://x.com/a?b={{1}}',
    'https://müller.de/ü/{{2}}/end',
    'https://x.com:8443/#{{1}}',
  ])('the link %s is accepted', (link) => {
    expect(broken([body('Hi {{1}} {{2}}'), buttons(url(link))])).toEqual([]);
  });

  test('the image of a card must be a valid link', () => {
    const card = (image_url: string) => ({ header: { type: 'IMAGE', image_url }, body: 'A' });
    const carousel = {
      type: 'CAROUSEL',
      cards: [card('https://x.com/a.png'), card('ftp://x')],
    } as TemplateComponent;
    expect(broken([body('Hi'), carousel])).toEqual([
      'components[1].cards[1].header.image_url invalid_format',
    ]);
  });
});

describe('a template', () => {
  test('has a body, and each component at most once', () => {
    expect(broken([{ type: 'FOOTER', text: 'Bye' }])).toEqual(['components missing_body']);
    expect(broken([body('Hi'), body('Ho')])).toEqual(['components[1].type duplicate_item']);
  });

  test('is checked in linear time, however many components it has', () => {
    const components = Array.from({ length: 100_000 }, (_, i) => ({ type: `TYPE ${i}` }));
    const startedAt = performance.now();
    expect(broken(components)).toEqual(['components max_length', 'components missing_body']);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('has an OTP button and an expiry only in AUTHENTICATION', () => {
    expect(broken([body('Hi'), buttons(OTP)], 'MARKETING', 5)).toEqual([
      'components[1].buttons[0].type not_allowed_value',
      'code_expiration_minutes not_allowed_value',
    ]);
  });

  test('with any components is checked without an exception', () => {
    const component = fc.oneof(
      fc.anything(),
      fc.record(
        {
          type: fc.constantFrom('HEADER', 'BODY', 'BUTTONS', 'CAROUSEL'),
          text: fc.anything(),
          example: fc.anything(),
          buttons: fc.anything(),
          cards: fc.anything(),
          format: fc.anything(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(component),
        fc.constantFrom<Category>('UTILITY', 'AUTHENTICATION'),
        (components, category) => {
          checkTemplate({ category, components: components as TemplateComponent[] });
        },
      ),
    );
  });
});

describe('AUTHENTICATION templates', () => {
  test.each<[string, TemplateComponent[], string[]]>([
    ['one OTP button', [body('{{1}} is your code'), buttons(OTP)], []],
    [
      'a static text header',
      [{ type: 'HEADER', format: 'TEXT', text: 'Code' }, body('{{1}} is your code'), buttons(OTP)],
      [],
    ],
    ['no button', [body('{{1}} is your code')], ['components missing_otp_button']],
    [
      'no button and the empty sample of zero-tap',
      [body('{{1}} is your code', { example: { body_text: [['']] } })],
      [],
    ],
    ['no place for the code', [body('Your code'), buttons(OTP)], ['components[0].text placeholder_required']],
    [
      'two placeholders',
      [body('{{1}} for {{2}}'), buttons(OTP)],
      ['components[0].text placeholder_required'],
    ],
    [
      'a URL button',
      [body('{{1}} code'), buttons(OTP, url('https://x.com'))],
      ['components[1].buttons[1].type not_allowed_value', 'components[1].buttons[1] too_many_items'],
    ],
    ['two OTP buttons', [body('{{1}} code'), buttons(OTP, OTP)], ['components[1].buttons[1] too_many_items']],
    [
      'a media header',
      [{ type: 'HEADER', format: 'IMAGE' }, body('{{1}} code'), buttons(OTP)],
      ['components[0].format not_allowed_value'],
    ],
    [
      'a carousel',
      [{ type: 'CAROUSEL', cards: [] }, body('{{1}} code'), buttons(OTP)],
      ['components[0].type not_allowed_value'],
    ],
  ])('the broken rules are listed for %s', (_, components, expected) => {
    expect(broken(components, 'AUTHENTICATION', 10)).toEqual(expected);
  });
});
