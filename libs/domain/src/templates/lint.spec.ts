import { expect, test } from '@jest/globals';
import type { Category, TemplateComponent, TemplateContent } from './template.ts';
import { lintTemplate, reviewTemplate } from './lint.ts';

function content(
  text: string,
  category: Category = 'MARKETING',
  more: TemplateComponent[] = [],
): TemplateContent {
  return {
    category,
    components: [{ type: 'BODY', text }, ...more],
    allowCategoryChange: false,
    codeExpirationMinutes: null,
  };
}

const link = (url: string): TemplateComponent => ({
  type: 'BUTTONS',
  buttons: [{ type: 'URL', text: 'Open', url }],
});

test.each<[string, TemplateContent]>([
  ['promotion_in_utility', content('Your order is here. Get 20% off the next one!', 'UTILITY')],
  ['not_a_code_message', content('{{1}} is your code. See https://example.com', 'AUTHENTICATION')],
  ['no_words', content('{{1}} - {{2}}!')],
  ['too_few_words', content('Hi {{1}}, {{2}}, {{3}}')],
  ['touching_placeholders', content('Hello dear {{1}} {{2}}, how are you')],
  ['asks_for_secrets', content('To go on, please reply with your PIN.')],
  ['shortened_url', content('See our news', 'MARKETING', [link('https://www.bit.ly/{{1}}')])],
  ['shouting', content('BUY OUR NEW SHOES TODAY, THEY ARE GREAT')],
])('the rule %s finds a template that breaks it', (rule, template) => {
  expect(lintTemplate(template).map((finding) => finding.rule)).toContain(rule);
});

test('a finding names the field that breaks the rule', () => {
  const more = [link('https://bit.ly/x'), { type: 'FOOTER', text: 'Get 20% off' }];
  expect(lintTemplate(content('Your order is on its way', 'UTILITY', more))).toMatchObject([
    { field: 'components[2].text', rule: 'promotion_in_utility' },
    { field: 'components[1].buttons[0].url', rule: 'shortened_url' },
  ]);
});

test.each([
  content('Hi {{1}}, your order {{2}} has left: {{3}}, {{4}}, by {{5}}', 'UTILITY'),
  content('{{1}} is your verification code. For your security, do not share this PIN.', 'AUTHENTICATION'),
  content('Never share your password with anyone', 'UTILITY'),
  content('Summer sale: 20% off', 'MARKETING', [link('https://example.com/{{1}}')]),
  content('नमस्ते {{1}}, आपका ऑर्डर आ गया है', 'UTILITY'),
  content('HELLO', 'UTILITY'),
])('an ordinary template has no findings: $components.0.text', (template) => {
  expect(lintTemplate(template)).toEqual([]);
});

test('a rejection names every broken rule and its remedy', () => {
  const review = reviewTemplate(content('{{1}} {{2}}'));
  expect(review).toEqual({
    decision: 'reject',
    reason: expect.stringMatching(/^no_words: .+\ntoo_few_words: .+\ntouching_placeholders: /),
  });
});

test('a UTILITY template with an offer becomes MARKETING only if its owner allows it', () => {
  const template = content('Flash sale today for all of you', 'UTILITY');
  expect(reviewTemplate(template)).toMatchObject({ decision: 'reject' });
  expect(reviewTemplate({ ...template, allowCategoryChange: true })).toEqual({
    decision: 'approve',
    category: 'MARKETING',
  });
});
