import { FILE_KINDS, type FileKind } from '../media/file-kind.ts';

/** Purpose of a template, which decides the rules it must follow. */
export const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Types of components. A template has at most one of each. */
export const COMPONENT_TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL'] as const;

/** Kinds of files as templates and uploads name them. */
export type MediaKind = Uppercase<FileKind>;
export const MEDIA_KINDS: readonly MediaKind[] = FILE_KINDS.map((kind) => kind.toUpperCase() as MediaKind);

/** Content of a header: text, or a file. */
export const HEADER_FORMATS = ['TEXT', ...MEDIA_KINDS] as const;

export const BUTTON_TYPES = [
  'PHONE_NUMBER',
  'URL',
  'OTP',
  'CATALOG',
  'CATALOG_ITEM',
  'FLOW',
  'ORDER_DETAILS',
] as const;
/** Types of buttons on the card of a carousel. */
export const CARD_BUTTON_TYPES = ['URL', 'PHONE_NUMBER', 'QUICK_REPLY'] as const;
export const OTP_TYPES = ['COPY_CODE', 'AUTO_FILL', 'ZERO_TAP'] as const;

export const TEMPLATE_NAME = /^[a-z0-9_]+$/;

/** Limits in characters, items and minutes. */
export const MAX_NAME_LENGTH = 512;
export const MAX_BODY_LENGTH = 1024;
export const MAX_HEADER_LENGTH = 60;
export const MAX_FOOTER_LENGTH = 60;
export const MAX_BUTTON_LENGTH = 25;
export const MAX_BUTTONS = 10;
export const MAX_CARDS = 10;
export const MAX_CARD_BUTTONS = 2;
export const MAX_CODE_MINUTES = 90;
export const MAX_URL_LENGTH = 2000;

/** Maximum bytes of the components of a template as JSON, so that a page of templates stays small. */
export const MAX_COMPONENTS_BYTES = 65_536;

/** A button as it travels on the wire and is stored. */
export interface TemplateButton {
  type: string;
  text?: string;
  phone_number?: string;
  url?: string;
  otp_type?: string;
  flow_id?: string;
}

export interface TemplateCard {
  header: { type: string; image_url: string };
  body: string;
  footer?: string;
  buttons?: TemplateButton[];
}

/** A component as it travels on the wire and is stored. Its type decides which members it has. */
export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  example?: { header_handle?: string[]; header_text?: string[]; body_text?: string[][] };
  body_params?: string[];
  buttons?: TemplateButton[];
  cards?: TemplateCard[];
}

/** Content of a template, which is reviewed and may be edited. */
export interface TemplateContent {
  category: Category;
  components: TemplateComponent[];
  allowCategoryChange: boolean;
  codeExpirationMinutes: number | null;
}
