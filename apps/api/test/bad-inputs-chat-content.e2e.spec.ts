import { expect, test } from '@jest/globals';
import { type BadInput, startSharedApi } from './api-under-test.ts';
import { NUMBERS, button, buttons, interactive, rows } from './chat-bodies.ts';
import { GOOD_TEXT, MESSAGES, broken, expectMessageRefused } from './chatapp-under-test.ts';

const TEMPLATE = { ...NUMBERS, type: 'template', templateName: 'never_looked_up' };

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

const withHeader = (header: unknown): object => ({ components: { body: { params: ['Asha', '7'] }, header } });
const file = (name: string): string => `https://example.com/${name}`;
const media = (type: string, link: unknown, more: object = {}): object => ({
  ...NUMBERS,
  type,
  [type]: { link, ...more },
});

const shown = (header: unknown): object => buttons([button('a', 'A')], { header });

/** Spellings of private and special addresses. */
const PRIVATE_HOSTS = `
  127.0.0.1 127.1 0177.0.0.1 0x7f.1 2130706433 ①②⑦.⓪.⓪.① 10.0.0.1 172.16.5.4 192.168.1.1 100.64.0.1 192.0.0.1 198.18.0.1
  240.0.0.1 192.88.99.1 203.0.113.6 169.254.169.254 0xa9fea9fe metadata.google.internal [fd00:ec2::254] 100.100.100.200
  168.63.129.16 [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [5f00::1] [100::1]
  [2001:db8::1] [::1] [::ffff:127.0.0.1] localhost a.localhost printer.local localhost. 127.0.0.1.
`
  .trim()
  .split(/\s+/);

const LINKS: [string, string][] = [
  ['ftp://example.com/a.jpg', 'invalid_format'],
  ['gopher://example.com/a.jpg', 'invalid_format'],
  ['file:///etc/passwd', 'invalid_format'],
  ['data:image/png;base64,AAAA', 'invalid_format'],
  ['javascript:alert(1)', 'invalid_format'],
  ['//example.com/a.jpg', 'invalid_format'],
  ['example.com/a.jpg', 'invalid_format'],
  ['http:///a.jpg', 'invalid_format'],
  ['', 'invalid_format'],
  ['http://u:p@example.com/a.jpg', 'url_user_info'],
  ['http://a@127.0.0.1:80#@b.com/a.jpg', 'url_user_info'],
  ['http://exa\tmple.com/a.jpg', 'invalid_character'],
  ['https://example.com\\@b.com/a.jpg', 'invalid_character'],
  ['https://example.com/a b.jpg', 'invalid_character'],
  [`https://example.com/${'x'.repeat(2_000)}.jpg`, 'max_length'],
  ['https://example.com/a.gif', 'invalid_format'],
  ['https://example.com/a', 'invalid_format'],
  ['https://example.com/', 'invalid_format'],
  ['https://example.com/a.php?file=a.jpg', 'invalid_format'],
  ['https://example.com/a.jpg/', 'invalid_format'],
];

const FILE_NAMES = [
  '../a.pdf',
  'a/b.pdf',
  'a\\b.pdf',
  '..',
  '.',
  'a\r\nb.pdf',
  'invoice\u202Efdp.exe',
  'a\u2066b.pdf',
  'a\u200fb.pdf',
  'a\u2028b',
  '',
  '  ',
  'a'.repeat(241),
  'é'.repeat(121),
];

const ofHeaders: BadInput[] = [
  ...[
    ['no type', {}, 'type required'],
    ['an unknown type', { type: 'audio', audio: {} }, 'type not_allowed_value'],
    ['words that are missing', { type: 'text' }, 'text required'],
    ['blank words', { type: 'text', text: ' ' }, 'text blank'],
    ['61 characters', { type: 'text', text: 'x'.repeat(61) }, 'text max_length'],
    [
      'two types at once',
      { type: 'text', text: 'Hi', image: { link: file('a.png') } },
      'image not_allowed_value',
    ],
    [
      'two files at once',
      { type: 'video', video: { link: file('a.mp4') }, text: 'Hi' },
      'text not_allowed_value',
    ],
    ['a file that is missing', { type: 'image' }, 'image required'],
    ['a link in the place of a file', { type: 'image', image: file('a.png') }, 'image invalid_type'],
    ['a file without a link', { type: 'image', image: {} }, 'image.link required'],
    [
      'a document without a name',
      { type: 'document', document: { link: file('a.pdf') } },
      'document.filename required',
    ],
    [
      'a file that is no image',
      { type: 'image', image: { link: file('a.gif') } },
      'image.link invalid_format',
    ],
    [
      'a private address',
      { type: 'video', video: { link: 'http://10.0.0.1/a.mp4' } },
      'video.link link_forbidden',
    ],
  ].flatMap(([name, header, rule]) => [
    broken(`a header with ${name as string}`, shown(header), {}, `interactive.header.${rule as string}`),
    broken(
      `a header of a template with ${name as string}`,
      TEMPLATE,
      withHeader(header),
      `components.header.${rule as string}`,
    ),
  ]),
  ...['list', 'location_request_message'].map((type) => {
    const action = type === 'list' ? { button: 'Choose', sections: [{ rows: rows(1) }] } : { name: 'send' };
    const header = { type: 'image', image: { link: file('a.png') } };
    return broken(
      `an image above a ${type}`,
      interactive(type, action, { header }),
      {},
      'interactive.header.type not_allowed_value',
    );
  }),
];

const ofFiles: BadInput[] = [
  ...PRIVATE_HOSTS.map((host) =>
    broken(`a file at ${host}`, media('image', `http://${host}/a.jpg`), {}, 'image.link link_forbidden'),
  ),
  ...LINKS.map(([link, rule]) =>
    broken(`an image at ${link.slice(0, 40)}`, media('image', link), {}, `image.link ${rule}`),
  ),
  ...['video', 'document'].map((type) =>
    broken(
      `a ${type} in the own network`,
      media(type, 'http://192.168.0.1/a'),
      {},
      `${type}.link link_forbidden`,
    ),
  ),
  ...FILE_NAMES.map((filename) => {
    const rule = 'document.filename invalid_format';
    return broken(
      `the file name ${JSON.stringify(filename.slice(0, 20))}`,
      media('document', file('a.pdf'), { filename }),
      {},
      rule,
    );
  }),
  broken(
    'U+0000 in a file name',
    media('document', file('a.pdf'), { filename: 'a\0.pdf' }),
    {},
    'document.filename invalid_character',
  ),
  broken(
    'a number as a file name',
    media('document', file('a.pdf'), { filename: 1 }),
    {},
    'document.filename invalid_type',
  ),
  ...['../x', 'x'.repeat(1_000), '', ' x', 'a/b'].map((name) =>
    broken(
      `the provider ${name.slice(0, 10)}`,
      media('image', file('a.png'), { provider: { name } }),
      {},
      'image.provider.name invalid_format',
    ),
  ),
  broken(
    'an object as the name of a provider',
    media('video', file('a'), { provider: { name: {} } }),
    {},
    'video.provider.name invalid_type',
  ),
  broken(
    'a provider without a name',
    media('video', file('a'), { provider: {} }),
    {},
    'video.provider.name required',
  ),
  broken(
    'a text as a provider',
    media('video', file('a'), { provider: 'cdn' }),
    {},
    'video.provider invalid_type',
  ),
  broken(
    'a caption of 1,025 characters',
    media('image', file('a.png'), { caption: 'x'.repeat(1_025) }),
    {},
    'image.caption max_length',
  ),
  broken('no image', { ...NUMBERS, type: 'image' }, {}, 'image required'),
  broken(
    'an array as an image',
    { ...NUMBERS, type: 'image', image: [file('a.png')] },
    {},
    'image invalid_type',
  ),
  broken('a number as a link', media('document', 5), {}, 'document.link invalid_type'),
  broken('no text', { ...NUMBERS, type: 'text' }, {}, 'text required'),
  broken('a bare text', GOOD_TEXT, { text: 'Hello' }, 'text invalid_type'),
  broken('an empty text', GOOD_TEXT, { text: { body: '' } }, 'text.body blank'),
  broken('a blank text', GOOD_TEXT, { text: { body: ' \n' } }, 'text.body blank'),
  broken(
    'a text of 1,025 characters',
    GOOD_TEXT,
    { text: { body: 'x'.repeat(1_025) } },
    'text.body max_length',
  ),
  broken('a text without a body', GOOD_TEXT, { text: {} }, 'text.body required'),
];

test.each([...ofHeaders, ...ofFiles])('%s is refused and stores nothing', async (_name, ...given) => {
  await expectMessageRefused(t, ...given);
});

test.each([
  ['a text of 1,024 emoji', { ...GOOD_TEXT, text: { body: '😀'.repeat(1_024) } }],
  [
    'an image in capitals, with a query and a port',
    media('image', 'http://cdn.example.com:8080/a%20b.PNG?w=100#x', { caption: 'x'.repeat(1_024) }),
  ],
  ['a document without a name', media('document', file('a.pdf'))],
  ['a name in another script', media('video', 'https://münchen.example/ü.mp4')],
  [
    'a file name of 240 bytes, with joiners',
    media('document', file('a'), { filename: `${'न\u200d'.repeat(39)}.pdf`.padEnd(84, 'x') }),
  ],
])('%s is accepted', async (_name, body) => {
  const answer = await t.call({ path: MESSAGES, body });
  expect([answer.status, answer.body.error]).toEqual([200, null]);
});
