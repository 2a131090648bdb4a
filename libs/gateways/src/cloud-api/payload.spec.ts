import { expect, test } from '@jest/globals';
import { type ChatContent, type ChatKind, renderSession } from '@signalbox/domain/chat/message';
import { compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import { fillTemplate } from '@signalbox/domain/chat/template-filling';
import type { Category, TemplateComponent } from '@signalbox/domain/templates/template';
import { WhatsAppAPI } from 'whatsapp-api-js';
import * as wa from 'whatsapp-api-js/messages';
import type { ClientMessage } from 'whatsapp-api-js/types';
import type { OutgoingChatMessage } from '../chat-app-gateway.ts';
import { sendPayload } from './payload.ts';

const ID = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66:1';
const PHONE = '919800000001';
const USER = 'US.13491208655302741918';
const LINK = 'https://example.com/a.png';

/** Returns the body that the independent client sends to the API for a message. */
async function builtByPeer(message: ClientMessage, { to = PHONE, context = '' } = {}): Promise<unknown> {
  let body = '';
  const api = new WhatsAppAPI({
    token: 't',
    secure: false,
    v: 'v25.0',
    ponyfill: {
      fetch: (async (_url: unknown, init: { body: string }) => {
        body = init.body;
        return new Response('{"messages":[{"id":"wamid.1"}]}');
      }) as unknown as typeof fetch,
    },
  });
  const recipient = to === PHONE ? { phone: to, bsuid: '' } : { bsuid: to };
  await api.sendMessage('1', recipient, message, context || undefined, ID);
  const built = JSON.parse(body) as Record<string, unknown>;
  return to === PHONE ? { ...built, recipient: undefined } : built;
}

function outgoing(kind: ChatKind, content: ChatContent, recipient = PHONE): OutgoingChatMessage {
  return {
    messageId: ID,
    accountId: 'a',
    sender: '15550100001',
    recipient,
    kind,
    template: null,
    content: renderSession(content),
    attempt: 1,
  };
}

function fromTemplate(
  components: TemplateComponent[],
  values: { params?: string[]; header?: object; code?: string },
  category: Category = 'UTILITY',
): OutgoingChatMessage {
  const compiled = compileTemplate({
    category,
    components,
    allowCategoryChange: false,
    codeExpirationMinutes: null,
  });
  const given = { params: [], ...values } as Parameters<typeof renderTemplate>[1];
  return {
    messageId: ID,
    accountId: 'a',
    sender: '15550100001',
    recipient: PHONE,
    kind: 'template',
    template: { name: 'order', language: 'en_US', category, filling: fillTemplate(compiled, given) },
    content: renderTemplate(compiled, given),
    attempt: 1,
  };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const BODY = { text: 'Pick one' };
const BUTTONS = { buttons: [{ type: 'reply' as const, reply: { id: 'y', title: 'Yes' } }] };
const peerButtons = new wa.ActionButtons(new wa.Button('y', 'Yes'));
const peerBody = new wa.Body('Pick one');

test.each<[string, ChatKind, ChatContent, ClientMessage]>([
  ['a text', 'text', { text: { body: 'Hello' } }, new wa.Text('Hello')],
  ['an image', 'image', { image: { link: LINK } }, new wa.Image(LINK)],
  [
    'an image with a caption',
    'image',
    { image: { link: LINK, caption: 'Hi' } },
    new wa.Image(LINK, false, 'Hi'),
  ],
  ['a video', 'video', { video: { link: LINK, caption: 'Hi' } }, new wa.Video(LINK, false, 'Hi')],
  [
    'a document',
    'document',
    { document: { link: LINK, filename: 'a.pdf' } },
    new wa.Document(LINK, false, undefined, 'a.pdf'),
  ],
  [
    'reply buttons',
    'interactive',
    { interactive: { type: 'button', body: BODY, footer: { text: 'Foot' }, action: BUTTONS } },
    new wa.Interactive(peerButtons, peerBody, undefined, new wa.Footer('Foot')),
  ],
  [
    'reply buttons under a text',
    'interactive',
    {
      interactive: { type: 'button', header: { type: 'text', text: 'Head' }, body: BODY, action: BUTTONS },
    },
    new wa.Interactive(peerButtons, peerBody, new wa.Header('Head')),
  ],
  [
    'reply buttons under an image',
    'interactive',
    {
      interactive: {
        type: 'button',
        header: { type: 'image', image: { link: LINK, provider: { name: 'p' } } },
        body: BODY,
        action: BUTTONS,
      },
    },
    new wa.Interactive(peerButtons, peerBody, new wa.Header(new wa.Image(LINK))),
  ],
  [
    'reply buttons under a document',
    'interactive',
    {
      interactive: {
        type: 'button',
        header: { type: 'document', document: { link: LINK, filename: 'a.pdf' } },
        body: BODY,
        action: BUTTONS,
      },
    },
    new wa.Interactive(
      peerButtons,
      peerBody,
      new wa.Header(new wa.Document(LINK, false, undefined, 'a.pdf')),
    ),
  ],
  [
    'a list',
    'interactive',
    {
      interactive: {
        type: 'list',
        body: BODY,
        action: {
          button: 'Open',
          sections: [
            { title: 'One', rows: [{ id: 'a', title: 'A', description: 'first' }] },
            { title: 'Two', rows: [{ id: 'b', title: 'B' }] },
          ],
        },
      },
    },
    new wa.Interactive(
      new wa.ActionList(
        'Open',
        new wa.ListSection('One', new wa.Row('a', 'A', 'first')),
        new wa.ListSection('Two', new wa.Row('b', 'B')),
      ),
      peerBody,
    ),
  ],
  [
    'a location request',
    'interactive',
    { interactive: { type: 'location_request_message', body: BODY, action: { name: 'send_location' } } },
    new wa.Interactive(new wa.ActionLocation(), peerBody),
  ],
])('%s equals what an independent client builds', async (_name, kind, content, peer) => {
  expect(plain(sendPayload(outgoing(kind, content)))).toEqual(plain(await builtByPeer(peer)));
});

type PeerComponent = ConstructorParameters<typeof wa.Template>[2];
const template = (...components: PeerComponent[]): ClientMessage =>
  new (wa.Template as new (name: string, language: string, ...all: PeerComponent[]) => wa.Template)(
    'order',
    'en_US',
    ...components,
  );
const bodyParams = (...values: [string, ...string[]]) =>
  new wa.BodyComponent(
    ...(values.map((value) => new wa.BodyParameter(value)) as [wa.BodyParameter, ...wa.BodyParameter[]]),
  );

const TEXT_BODY = { type: 'BODY', text: 'Hi {{1}}, order {{2}} for {{1}}' };
const BUTTON_ROW = {
  type: 'BUTTONS',
  buttons: [
    { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15550100001' },
    { type: 'URL', text: 'Track', url: 'https://example.com/{{3}}' },
    { type: 'URL', text: 'Shop', url: 'https://example.com/shop' },
  ],
};
const CARDS = ['{{2}}', 'All of it'].map((body, i) => ({
  header: { type: 'IMAGE', image_url: LINK },
  body,
  buttons: [
    { type: 'URL', text: 'Buy', url: `https://example.com/${i === 0 ? '{{3}}' : 'all'}` },
    { type: 'QUICK_REPLY', text: 'More' },
  ],
}));

test.each<[string, OutgoingChatMessage, ClientMessage]>([
  ['without values', fromTemplate([{ type: 'BODY', text: 'Hi' }], {}), template()],
  [
    'with body values, each placeholder once',
    fromTemplate([TEXT_BODY], { params: ['Ann', 'A-1'] }),
    template(bodyParams('Ann', 'A-1')),
  ],
  [
    'with a text header',
    fromTemplate([{ type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }, TEXT_BODY], {
      params: ['Ann', 'A-1'],
      header: { type: 'text', text: 'you' },
    }),
    template(new wa.HeaderComponent(new wa.HeaderParameter('you')), bodyParams('Ann', 'A-1')),
  ],
  ...(['image', 'video', 'document'] as const).map((kind): [string, OutgoingChatMessage, ClientMessage] => {
    const file = { link: LINK, ...(kind === 'document' && { filename: 'a.pdf' }) };
    const peer = {
      image: () => new wa.Image(LINK),
      video: () => new wa.Video(LINK),
      document: () => new wa.Document(LINK, false, undefined, 'a.pdf'),
    }[kind]();
    return [
      `with a header of type ${kind}`,
      fromTemplate(
        [
          { type: 'HEADER', format: kind.toUpperCase(), example: { header_handle: ['h'] } },
          { type: 'BODY', text: 'Hi' },
        ],
        { header: { type: kind, [kind]: file } },
      ),
      template(new wa.HeaderComponent(new wa.HeaderParameter(peer))),
    ];
  }),
  [
    'with a value in a button',
    fromTemplate([TEXT_BODY, BUTTON_ROW], { params: ['Ann', 'A-1', 't/9'] }),
    template(bodyParams('Ann', 'A-1'), new wa.SkipButtonComponent(), new wa.URLComponent('t/9')),
  ],
  [
    'with cards',
    fromTemplate(
      [
        { type: 'BODY', text: 'For {{1}}' },
        { type: 'CAROUSEL', cards: CARDS },
      ],
      { params: ['Ann', 'Blue', 'x1'] },
      'MARKETING',
    ),
    template(
      bodyParams('Ann'),
      new wa.CarouselComponent(
        new wa.CarouselCard(
          new wa.Image(LINK),
          bodyParams('Blue'),
          new wa.URLComponent('x1'),
          new wa.PayloadComponent('More'),
        ),
        new wa.CarouselCard(
          new wa.Image(LINK),
          new wa.SkipButtonComponent(),
          new wa.PayloadComponent('More'),
        ),
      ),
    ),
  ],
  [
    'with a flow',
    fromTemplate(
      [
        { type: 'BODY', text: 'Hi' },
        { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Go', flow_id: '1' }] },
      ],
      {},
    ),
    template(new wa.FlowComponent('unused', undefined as never)),
  ],
  ...['COPY_CODE', 'AUTO_FILL', 'ZERO_TAP'].map((otp_type): [string, OutgoingChatMessage, ClientMessage] => [
    `with a code for ${otp_type}`,
    fromTemplate(
      [
        { type: 'BODY', text: '{{1}} is your code' },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type }] },
      ],
      { code: '483920' },
      'AUTHENTICATION',
    ),
    wa.Template.OTP('order', 'en_US', '483920'),
  ]),
])('a template %s equals what an independent client builds', async (_name, message, peer) => {
  expect(plain(sendPayload(message))).toEqual(plain(await builtByPeer(peer)));
});

test('a reply names the message by the id of the gateway', async () => {
  const message = { ...outgoing('text', { text: { body: 'Hello' } }), replyTo: 'wamid.7' };
  const peer = await builtByPeer(new wa.Text('Hello'), { context: 'wamid.7' });
  expect(plain(sendPayload(message))).toEqual(plain(peer));
});

test('a user without a number is named by the user id', async () => {
  const message = outgoing('text', { text: { body: 'Hello' } }, USER);
  expect(plain(sendPayload(message))).toEqual(plain(await builtByPeer(new wa.Text('Hello'), { to: USER })));
});
