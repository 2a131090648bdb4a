import type { Category } from '../templates/template.ts';

/** The kinds of chat-app messages: the wire's `type` (spec 4.5). */
export const CHAT_KINDS = ['template', 'interactive', 'text', 'image', 'video', 'document'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

/** A file that the provider fetches; we never do. */
export interface MediaLink {
  link: string;
  caption?: string;
  filename?: string;
  provider?: { name: string };
}

/** What the header of a message shows: words, or one file. Its members are the wire's (spec 4.5.1, 4.5.2). */
export interface ChatHeader {
  type: 'text' | 'image' | 'video' | 'document';
  text?: string;
  image?: MediaLink;
  video?: MediaLink;
  document?: MediaLink;
}

/** Reply buttons, a list, or a request for a location (spec 4.5.2). */
export interface Interactive {
  type: 'button' | 'list' | 'location_request_message';
  header?: ChatHeader;
  body: { text: string };
  footer?: { text: string };
  action: {
    buttons?: { type: 'reply'; reply: { id: string; title: string } }[];
    button?: string;
    sections?: ListSection[];
    name?: string;
  };
}

export interface ListSection {
  title?: string;
  rows: { id: string; title: string; description?: string }[];
}

/** A template as it is sent: one version of it, and what fills that. A code is not among the values: it is sealed, beside. */
export interface TemplateSend {
  id: string;
  version: number;
  name: string;
  language: string;
  category: Category;
  params: string[];
  header?: ChatHeader;
}

/** What a chat-app message says, as it is stored: the member that its kind names. */
export interface ChatContent {
  template?: TemplateSend;
  interactive?: Interactive;
  text?: { body: string };
  image?: MediaLink;
  video?: MediaLink;
  document?: MediaLink;
}

/** A button as a phone shows it. */
export interface RenderedButton {
  type: string;
  text: string;
  id?: string;
  url?: string;
  phone_number?: string;
  flow_id?: string;
  otp_type?: string;
  /** Of an OTP button: the code that it copies or fills in. */
  code?: string;
}

/** A message as a phone shows it: every placeholder filled in. A media message is its file as the header, and its caption as the body. */
export interface RenderedChat {
  /** Words, or a file: one that the sender links to, or the handle of one that was uploaded with the template. */
  header?:
    | { type: 'text'; text: string }
    | ({ type: 'image' | 'video' | 'document' } & (MediaLink | { handle: string }));
  body?: string;
  footer?: string;
  buttons?: RenderedButton[];
  /** Of a list: the word on its button, and its rows. */
  list?: { button: string; sections: ListSection[] };
  cards?: { image: string; body: string; footer?: string; buttons: RenderedButton[] }[];
}

/** All that a person reads of a message, a line for each part. */
export function readableText({ header, body, footer, cards = [] }: RenderedChat): string {
  const words = header?.type === 'text' ? header.text : undefined;
  return [words, body, footer, ...cards.flatMap((card) => [card.body, card.footer])]
    .filter((line) => line !== undefined)
    .join('\n');
}

/** A message that is no template, as a phone shows it (spec 4.5.2 to 4.5.4). */
export function renderSession({ interactive, text, image, video, document }: ChatContent): RenderedChat {
  if (interactive) return renderInteractive(interactive);
  if (text) return { body: text.body };
  const files = { image, video, document };
  const [type, file] = Object.entries(files).find(([, link]) => link !== undefined) as [
    'image' | 'video' | 'document',
    MediaLink,
  ];
  const { caption, ...rest } = file;
  return { header: { type, ...rest }, ...(caption !== undefined && { body: caption }) };
}

function renderInteractive({ header, body, footer, action }: Interactive): RenderedChat {
  const { buttons, button, sections, name } = action;
  return {
    ...(header && { header: renderHeader(header) }),
    body: body.text,
    ...(footer && { footer: footer.text }),
    ...(buttons && {
      buttons: buttons.map(({ reply }) => ({ type: 'REPLY', text: reply.title, id: reply.id })),
    }),
    ...(sections && { list: { button: button ?? '', sections } }),
    ...(name !== undefined && { buttons: [{ type: 'LOCATION_REQUEST', text: name }] }),
  };
}

/** A header with the file, or the words, that its type names. */
export function renderHeader(header: ChatHeader): NonNullable<RenderedChat['header']> {
  if (header.type === 'text') return { type: 'text', text: header.text ?? '' };
  return { type: header.type, ...(header[header.type] ?? { link: '' }) };
}
