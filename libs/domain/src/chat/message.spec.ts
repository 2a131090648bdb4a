import { expect, test } from '@jest/globals';
import { type ChatContent, type RenderedChat, readableText, renderSession } from './message.ts';

const reply = (id: string, title: string) => ({ type: 'reply' as const, reply: { id, title } });
const SECTIONS = [{ title: 'North', rows: [{ id: 'n1', title: 'Hill Road', description: 'Open' }] }];
const IMAGE = { link: 'https://example.com/a.png' };

test.each<[string, ChatContent, RenderedChat]>([
  ['a text', { text: { body: 'Hi {{1}}' } }, { body: 'Hi {{1}}' }],
  [
    'an image',
    { image: { ...IMAGE, caption: 'A hat' } },
    { header: { type: 'image', ...IMAGE }, body: 'A hat' },
  ],
  ['an image without words', { image: IMAGE }, { header: { type: 'image', ...IMAGE } }],
  [
    'a video',
    { video: { link: 'https://example.com/a.mp4' } },
    { header: { type: 'video', link: 'https://example.com/a.mp4' } },
  ],
  [
    'a document',
    { document: { link: 'https://example.com/a.pdf', filename: 'A.pdf', provider: { name: 'cdn' } } },
    {
      header: {
        type: 'document',
        link: 'https://example.com/a.pdf',
        filename: 'A.pdf',
        provider: { name: 'cdn' },
      },
    },
  ],
  [
    'reply buttons',
    {
      interactive: {
        type: 'button',
        header: { type: 'image', image: IMAGE },
        body: { text: 'When?' },
        footer: { text: 'Soon' },
        action: { buttons: [reply('a', 'Today'), reply('b', 'Tomorrow')] },
      },
    },
    {
      header: { type: 'image', ...IMAGE },
      body: 'When?',
      footer: 'Soon',
      buttons: [
        { type: 'REPLY', text: 'Today', id: 'a' },
        { type: 'REPLY', text: 'Tomorrow', id: 'b' },
      ],
    },
  ],
  [
    'a list',
    {
      interactive: {
        type: 'list',
        header: { type: 'text', text: 'Shops' },
        body: { text: 'Where?' },
        action: { button: 'Choose', sections: SECTIONS },
      },
    },
    {
      header: { type: 'text', text: 'Shops' },
      body: 'Where?',
      list: { button: 'Choose', sections: SECTIONS },
    },
  ],
  [
    'a request for a location',
    {
      interactive: {
        type: 'location_request_message',
        body: { text: 'Where?' },
        action: { name: 'send_location' },
      },
    },
    { body: 'Where?', buttons: [{ type: 'LOCATION_REQUEST', text: 'send_location' }] },
  ],
])('%s is rendered as a phone shows it', (_name, content, shown) => {
  expect(renderSession(content)).toEqual(shown);
});

test('readable text is header, body, footer and cards, a line each, without files', () => {
  const cards = [{ image: 'x', body: 'Card', footer: 'Soon', buttons: [] }];
  expect(readableText({ header: { type: 'text', text: 'Head' }, body: 'Body', footer: 'Foot', cards })).toBe(
    'Head\nBody\nFoot\nCard\nSoon',
  );
  expect(readableText({ header: { type: 'image', link: 'https://example.com/a.png' } })).toBe('');
});
