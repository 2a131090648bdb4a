import { FILE_KINDS, type FileKind } from '@signalbox/domain/media/file-kind';
import type { ChatMessageRequest, ChatTemplate } from '@signalbox/client';
import {
  type ChatContent,
  type ChatKind,
  type Interactive,
  type MediaLink,
  type RenderedChat,
  renderSession,
} from '@signalbox/domain/chat/message';
import { type CompiledTemplate, compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import type { TemplateComponent } from '@signalbox/domain/templates/template';

/** Kinds of messages to compose: those of the chat app, with each kind of interactive message. */
export type ChatDraftKind = Exclude<ChatKind, 'interactive'> | Interactive['type'];

/** A chat-app message as it is composed. Members of other kinds keep what was typed. */
export interface ChatDraft {
  from: string;
  to: string;
  kind: ChatDraftKind;
  template: ChatTemplate | undefined;
  params: readonly string[];
  /** Address of the file, or text, of the template's header. */
  header: string;
  otp: string;
  body: string;
  footer: string;
  link: string;
  caption: string;
  filename: string;
  /** Titles of reply buttons, or of the rows of a list. */
  titles: readonly string[];
  listButton: string;
  sendAt: string | undefined;
  expiresAt: string | undefined;
  campaignName: string;
  clientRef: string;
}

/** Changes members of a draft. */
export type ChangeChat = (change: Partial<ChatDraft>) => void;

export const EMPTY_CHAT: ChatDraft = {
  from: '',
  to: '',
  kind: 'template',
  template: undefined,
  params: [],
  header: '',
  otp: '',
  body: '',
  footer: '',
  link: '',
  caption: '',
  filename: '',
  titles: [''],
  listButton: '',
  sendAt: undefined,
  expiresAt: undefined,
  campaignName: '',
  clientRef: '',
};

/** Most reply buttons, and most rows of a list. */
export const MAX_TITLES = { button: 3, list: 10 } as const;

/** Parses a template, whose values and header a person fills in. */
export function compiledOf(template: ChatTemplate): CompiledTemplate {
  return compileTemplate({
    category: template.category,
    components: template.components as unknown as TemplateComponent[],
    allowCategoryChange: template.allow_category_change ?? false,
    codeExpirationMinutes: template.code_expiration_minutes ?? null,
  });
}

/** Builds the request of a draft. */
export function chatRequestOf(draft: ChatDraft): ChatMessageRequest {
  const { from, to, sendAt, expiresAt, campaignName, clientRef } = draft;
  return {
    from,
    to: to.trim(),
    ...(draft.kind === 'template' ? templatePart(draft) : sessionPart(draft.kind, draft)),
    ...(sendAt !== undefined && { sendAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(campaignName.trim() !== '' && { campaignName: campaignName.trim() }),
    ...(clientRef.trim() !== '' && { clientRef: clientRef.trim() }),
  } as ChatMessageRequest;
}

/** Renders a draft as a phone shows it; undefined while it has nothing to show. */
export function chatPreviewOf(draft: ChatDraft): RenderedChat | undefined {
  if (draft.kind !== 'template') return renderSession(CONTENTS[draft.kind](draft));
  if (!draft.template) return undefined;
  const compiled = compiledOf(draft.template);
  const header = headerOf(draft, compiled);
  const params = Array.from({ length: compiled.paramCount }, (_, i) => draft.params[i] || `{{${i + 1}}}`);
  return renderTemplate(compiled, { params, code: draft.otp || '{{1}}', ...(header && { header }) });
}

/** Says what keeps a draft from being sent; undefined when nothing does. */
export function chatProblemOf(draft: ChatDraft): string | undefined {
  if (draft.from === '') return 'Choose the number to send from.';
  if (draft.to.trim() === '') return 'Name the recipient.';
  if (draft.kind === 'template') return draft.template ? undefined : 'Choose a template.';
  if (isFile(draft.kind)) return draft.link.trim() === '' ? 'Name the address of the file.' : undefined;
  return draft.body.trim() === '' ? 'Write the text.' : undefined;
}

/** True for the kinds that carry a file. */
export function isFile(kind: ChatDraftKind): kind is FileKind {
  return FILE_KINDS.some((each) => each === kind);
}

function templatePart(draft: ChatDraft): object {
  const { template, params, otp } = draft;
  if (!template) return { type: 'template' };
  const compiled = compiledOf(template);
  const header = headerOf(draft, compiled);
  const values = Array.from({ length: compiled.paramCount }, (_, i) => params[i] ?? '');
  return {
    type: 'template',
    templateName: template.name,
    language: { code: template.language },
    ...(compiled.carriesCode && { otp }),
    ...((values.length > 0 || header) && {
      components: { ...(values.length > 0 && { body: { params: values } }), ...(header && { header }) },
    }),
  };
}

function headerOf({ header, filename }: ChatDraft, compiled: CompiledTemplate) {
  const form = compiled.header;
  if (!form || (form.type === 'text' && !form.isFilled)) return undefined;
  if (form.type === 'text') return { type: 'text' as const, text: header };
  const file = {
    link: header.trim(),
    ...(form.type === 'document' && { filename: filename || 'document.pdf' }),
  };
  return { type: form.type, [form.type]: file };
}

function sessionPart(kind: SessionKind, draft: ChatDraft): object {
  const content = CONTENTS[kind](draft);
  return { type: content.interactive ? 'interactive' : kind, ...content };
}

type SessionKind = Exclude<ChatDraftKind, 'template'>;

const CONTENTS: Record<SessionKind, (draft: ChatDraft) => ChatContent> = {
  text: ({ body }) => ({ text: { body } }),
  image: (draft) => ({ image: captioned(draft) }),
  video: (draft) => ({ video: captioned(draft) }),
  document: ({ link, filename }) => ({ document: { link: link.trim(), ...(filename && { filename }) } }),
  button: (draft) => ({
    interactive: {
      type: 'button',
      ...textsOf(draft),
      action: { buttons: choicesOf(draft, 'button').map((reply) => ({ type: 'reply', reply })) },
    },
  }),
  list: (draft) => ({
    interactive: {
      type: 'list',
      ...textsOf(draft),
      action: { button: draft.listButton, sections: [{ rows: choicesOf(draft, 'list') }] },
    },
  }),
  location_request_message: ({ body }) => ({
    interactive: {
      type: 'location_request_message',
      body: { text: body },
      action: { name: 'send_location' },
    },
  }),
};

function captioned({ link, caption }: ChatDraft): MediaLink {
  return { link: link.trim(), ...(caption !== '' && { caption }) };
}

function textsOf({ body, footer }: ChatDraft): Pick<Interactive, 'body' | 'footer'> {
  return { body: { text: body }, ...(footer !== '' && { footer: { text: footer } }) };
}

/** The choices that the composer shows; a change of the kind keeps those beyond. */
function choicesOf({ titles }: ChatDraft, kind: keyof typeof MAX_TITLES): { id: string; title: string }[] {
  return titles.slice(0, MAX_TITLES[kind]).map((title, i) => ({ id: `choice-${i + 1}`, title }));
}
