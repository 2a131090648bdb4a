import { expect, test } from '@jest/globals';
import { templateChanges } from './changes.ts';

const BODY = { type: 'BODY', text: 'Hi {{1}}', example: { body_text: [['Asha']] } };
const button = (url: string) => ({ type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url }] });

test('the changed, added and removed fields of a version are listed', () => {
  const before = { category: 'UTILITY' as const, components: [BODY, button('https://a.example')] };
  const after = {
    category: 'MARKETING' as const,
    components: [button('https://b.example'), { type: 'FOOTER', text: 'Bye' }, { ...BODY, example: {} }],
  };
  expect(templateChanges(before, after)).toEqual([
    { field: 'category', before: 'UTILITY', after: 'MARKETING' },
    { field: 'BUTTONS.buttons[0].url', before: 'https://a.example', after: 'https://b.example' },
    { field: 'FOOTER.text', before: null, after: 'Bye' },
    { field: 'BODY.example.body_text[0][0]', before: 'Asha', after: null },
  ]);
});

test('the order of components is no change', () => {
  const link = button('https://a.example');
  const version = (components: object[]) => ({
    category: 'UTILITY' as const,
    components: components as (typeof BODY)[],
  });
  expect(templateChanges(version([BODY, link]), version([link, BODY]))).toEqual([]);
});
