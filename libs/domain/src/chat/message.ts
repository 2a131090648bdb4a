import { FILE_KINDS, type FileKind } from '../media/file-kind.ts';
import type { Category } from '../templates/template.ts';

/** Kinds of chat-app messages, the `type` of a request. */
export const CHAT_KINDS = ['template', 'interactive', 'text', ...FILE_KINDS] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

/** A file that the chat app's provider fetches. Signalbox never fetches it. */
export interface MediaLink {
  link: string;
  caption?: string;
  filename?: string;
  provider?: { name: string };
}

/** Header of a message as it travels on the wire: text or one file, in the member named by `type`. */
export interface ChatHeader extends Partial<Record<FileKind, MediaLink>> {
  type: 'text' | FileKind;
  text?: string;
}

/** Reply buttons, a list, or a request for a location, as they travel on the wire. */
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

/**
 * One version of a template with its values. The code of a one-time password is not among them: it is sealed and stored
 * apart.
 */
export interface TemplateSend {
  id: string;
  version: number;
  name: string;
  language: string;
  category: Category;
  params: string[];
  header?: ChatHeader;
}

/**
 * Content of each kind of message. The compiler checks that every kind has its content here and, but for
 * templates, its renderer.
 */
interface ContentByKind extends Record<FileKind, MediaLink> {
  template: TemplateSend;
  interactive: Interactive;
  text: { body: string };
}

/** The message that a message replies to. */
export interface RepliedMessage {
  messageId: string;
  /** The id that the gateway gave it. */
  gatewayMessageId: string;
}

/** Content of a message as it is stored: the one member that its kind names, and the message that it replies to. */
export type ChatContent = Partial<ContentByKind> & { context?: RepliedMessage };

/** A button as a phone shows it. */
export interface RenderedButton {
  type: string;
  text: string;
  id?: string;
  url?: string;
  phone_number?: string;
  flow_id?: string;
  otp_type?: string;
  /** Code that an OTP button copies or fills in. */
  code?: string;
}

/**
 * A message as a phone shows it, with all placeholders filled in. A media message has its file as header and its
 * caption as body.
 */
export interface RenderedChat {
  /** Text, or a file: a link of the sender, or the handle of a file uploaded with the template. */
  header?: { type: 'text'; text: string } | ({ type: FileKind } & (MediaLink | { handle: string }));
  body?: string;
  footer?: string;
  buttons?: RenderedButton[];
  /** Label of a list's button, and its rows. */
  list?: { button: string; sections: ListSection[] };
  cards?: { image: string; body: string; footer?: string; buttons: RenderedButton[] }[];
}

/**
 * Joins all text of a message that a person reads, except its buttons: one line each for header, body, footer and card
 * texts.
 */
export function readableText({ header, body, footer, cards = [] }: RenderedChat): string {
  const title = header?.type === 'text' ? header.text : undefined;
  return [title, body, footer, ...cards.flatMap((card) => [card.body, card.footer])]
    .filter((line) => line !== undefined)
    .join('\n');
}

const SESSION_KINDS = CHAT_KINDS.filter((kind) => kind !== 'template');
type SessionKind = (typeof SESSION_KINDS)[number];

const RENDERERS: { [K in SessionKind]: (content: ContentByKind[K]) => RenderedChat } = {
  interactive: renderInteractive,
  text: ({ body }) => ({ body }),
  image: (file) => renderFile('image', file),
  video: (file) => renderFile('video', file),
  document: (file) => renderFile('document', file),
};

/**
 * Renders a message other than a template as a phone shows it.
 *
 * @throws if it has no content
 */
export function renderSession(content: ChatContent): RenderedChat {
  for (const kind of SESSION_KINDS) {
    const rendered = renderMember(kind, content);
    if (rendered) return rendered;
  }
  throw new Error('A session message has no content.');
}

/** Renders a header with the text or the file that its type names. */
export function renderHeader(header: ChatHeader): NonNullable<RenderedChat['header']> {
  if (header.type === 'text') return { type: 'text', text: header.text ?? '' };
  return { type: header.type, ...(header[header.type] ?? { link: '' }) };
}

function renderMember<K extends SessionKind>(
  kind: K,
  content: Partial<Pick<ContentByKind, K>>,
): RenderedChat | undefined {
  const member: ContentByKind[K] | undefined = content[kind];
  return member === undefined ? undefined : RENDERERS[kind](member);
}

function renderFile(type: FileKind, { caption, ...file }: MediaLink): RenderedChat {
  return { header: { type, ...file }, ...(caption !== undefined && { body: caption }) };
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
