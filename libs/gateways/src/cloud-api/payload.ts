import type { ChatKind, RenderedButton, RenderedChat } from '@signalbox/domain/chat/message';
import type { FilledButton, FilledCard, TemplateFilling } from '@signalbox/domain/chat/template-filling';
import { isUserId } from '@signalbox/domain/chat/user-id';
import type { OutgoingChatMessage } from '../chat-app-gateway.ts';

type Json = Record<string, unknown>;

/** Value that the API wants where a flow gets no token of ours. */
const NO_FLOW_TOKEN = 'unused';

/** Builds the content of each kind of message. */
const CONTENT_OF: Record<ChatKind, (message: OutgoingChatMessage) => Json> = {
  template: ({ template }) => (template ? templateOf(template) : {}),
  text: ({ content }) => ({ body: content.body ?? '' }),
  interactive: ({ content }) => interactiveOf(content),
  image: ({ content }) => captioned(content),
  video: ({ content }) => captioned(content),
  document: ({ content }) => captioned(content),
};

/**
 * Builds the body of POST /{phone number id}/messages. Our message id rides along in `biz_opaque_callback_data`, which
 * each status of the message returns.
 */
export function sendPayload(message: OutgoingChatMessage): Json {
  const { messageId, recipient, template, kind, replyTo } = message;
  const type = template ? 'template' : kind;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(isUserId(recipient) ? { recipient } : { to: recipient }),
    type,
    [type]: CONTENT_OF[type](message),
    ...(replyTo !== undefined && { context: { message_id: replyTo } }),
    biz_opaque_callback_data: messageId,
  };
}

function captioned({ header, body }: RenderedChat): Json {
  return { ...fileOf(header), ...(body !== undefined && body !== '' && { caption: body }) };
}

/** The API knows no media providers, so the name of one is left out. */
function fileOf(header: RenderedChat['header']): Json {
  if (header === undefined || header.type === 'text' || 'handle' in header) return {};
  const { link, filename } = header;
  return { link, ...(filename !== undefined && { filename }) };
}

function interactiveOf({ header, body, footer, buttons = [], list }: RenderedChat): Json {
  const [type, action] = actionOf(buttons, list);
  return {
    type,
    ...(header && { header: headerOf(header) }),
    body: { text: body ?? '' },
    ...(footer !== undefined && { footer: { text: footer } }),
    action,
  };
}

function headerOf(header: NonNullable<RenderedChat['header']>): Json {
  if (header.type === 'text') return { type: 'text', text: header.text };
  return { type: header.type, [header.type]: fileOf(header) };
}

function actionOf(buttons: readonly RenderedButton[], list: RenderedChat['list']): [string, Json] {
  if (list) return ['list', { button: list.button, sections: list.sections.map(sectionOf) }];
  if (buttons.some(({ type }) => type === 'LOCATION_REQUEST'))
    return ['location_request_message', { name: 'send_location' }];
  const replies = buttons.map(({ id, text }) => ({ type: 'reply', reply: { id, title: text } }));
  return ['button', { buttons: replies }];
}

function sectionOf({ title, rows }: NonNullable<RenderedChat['list']>['sections'][number]): Json {
  const isTitled = title !== undefined && title.trim() !== '';
  return {
    ...(isTitled && { title }),
    rows: rows.map(({ id, title: rowTitle, description }) => ({
      id,
      title: rowTitle,
      ...(description !== undefined && description !== '' && { description }),
    })),
  };
}

function templateOf({ name, language, filling }: NonNullable<OutgoingChatMessage['template']>): Json {
  const components = filling.code === undefined ? componentsOf(filling) : codeComponents(filling.code);
  return {
    name,
    language: { policy: 'deterministic', code: language },
    ...(components.length > 0 && { components }),
  };
}

/** The code fills the body and the button, which each AUTHENTICATION template has at the provider. */
function codeComponents(code: string): Json[] {
  return [bodyOf([code]), buttonOf(0, 'url', { type: 'text', text: code })];
}

function componentsOf({ header, body, buttons, cards }: TemplateFilling): Json[] {
  return [
    ...(header ? [{ type: 'header', parameters: [headerOf(header)] }] : []),
    ...(body.length > 0 ? [bodyOf(body)] : []),
    ...buttons.flatMap(filledButton),
    ...(cards.length > 0 ? [{ type: 'carousel', cards: cards.map(cardOf) }] : []),
  ];
}

function cardOf({ image, body, buttons }: FilledCard, card_index: number): Json {
  const header = { type: 'header', parameters: [{ type: 'image', image: { link: image } }] };
  const components = [header, ...(body.length > 0 ? [bodyOf(body)] : []), ...buttons.flatMap(filledButton)];
  return { card_index, components };
}

function bodyOf(values: readonly string[]): Json {
  return { type: 'body', parameters: values.map((text) => ({ type: 'text', text })) };
}

/** A quick reply carries its text, so that the answer names the button. */
function filledButton({ index, type, text, values }: FilledButton): Json[] {
  if (type === 'URL') return values.map((value) => buttonOf(index, 'url', { type: 'text', text: value }));
  if (type === 'QUICK_REPLY') return [buttonOf(index, 'quick_reply', { type: 'payload', payload: text })];
  if (type === 'FLOW')
    return [buttonOf(index, 'flow', { type: 'action', action: { flow_token: NO_FLOW_TOKEN } })];
  return [];
}

function buttonOf(index: number, sub_type: string, parameter: Json): Json {
  return { type: 'button', sub_type, index, parameters: [parameter] };
}
