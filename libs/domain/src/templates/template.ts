/** What a template is for (spec 2.1). */
export const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const;
export type Category = (typeof CATEGORIES)[number];

/** The types of a template's components, each of which it has at most once (spec 2.2). */
export const COMPONENT_TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL'] as const;

/** What a header shows: words, or a media file, whose kinds are those of uploads. */
export const MEDIA_KINDS = ['IMAGE', 'VIDEO', 'DOCUMENT'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];
export const HEADER_FORMATS = ['TEXT', ...MEDIA_KINDS] as const;

/** Spec 2.3. */
export const BUTTON_TYPES = [
  'PHONE_NUMBER',
  'URL',
  'OTP',
  'CATALOG',
  'CATALOG_ITEM',
  'FLOW',
  'ORDER_DETAILS',
] as const;
/** The buttons of a carousel's card: a type, a text, and what they open (spec 2.4). */
export const CARD_BUTTON_TYPES = ['URL', 'PHONE_NUMBER', 'QUICK_REPLY'] as const;
export const OTP_TYPES = ['COPY_CODE', 'AUTO_FILL', 'ZERO_TAP'] as const;

/** Spec 2.1. */
export const TEMPLATE_NAME = /^[a-z0-9_]+$/;
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

/** A component as it travels on the wire and is stored; which members it has follows from its type (spec 2.2). */
export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  example?: { header_handle?: string[]; header_text?: string[]; body_text?: string[][] };
  body_params?: string[];
  buttons?: TemplateButton[];
  cards?: TemplateCard[];
}

/** What of a template is reviewed, and may be edited. */
export interface TemplateContent {
  category: Category;
  components: TemplateComponent[];
  allowCategoryChange: boolean;
  codeExpirationMinutes: number | null;
}
