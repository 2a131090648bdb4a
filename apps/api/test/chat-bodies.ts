import { FROM } from './chatapp-under-test.ts';

export const NUMBERS = { from: FROM, to: '919800000100' };

export const button = (id: unknown, title: unknown, more: object = {}): object => ({
  type: 'reply',
  reply: { id, title },
  ...more,
});
export const interactive = (type: string, action: unknown, more: object = {}): object => ({
  ...NUMBERS,
  type: 'interactive',
  interactive: { type, body: { text: 'Which?' }, action, ...more },
});
export const buttons = (list: unknown, more: object = {}): object =>
  interactive('button', { buttons: list }, more);
export const list = (sections: unknown, more: object = {}): object =>
  interactive('list', { button: 'Choose', sections, ...more });
export const row = (id: unknown, title: unknown = 'A row', more: object = {}): object => ({
  id,
  title,
  ...more,
});
export const rows = (count: number, from = 0): object[] =>
  Array.from({ length: count }, (_, i) => row(`r${from + i}`));
