import type { Category } from '@signalbox/domain/templates/template';

/** A change of a registered template that its provider reported. */
export interface TemplateChange {
  gatewayTemplateId: string;
  name: string;
  language: string;
  /** The new status, by the provider's name. */
  status?: string;
  quality?: string;
  category?: Category;
  /** Category that the template gets in a day. */
  comingCategory?: Category;
  reason?: string;
  at: Date;
}

/** Identity of a recipient as a provider shows it: a number, a user id, or both. */
export interface IdentityNotice {
  /** The business number that the recipient wrote to, or was written to from. */
  sender: string;
  number?: string;
  userId?: string;
  /** An identity that these replace. */
  previous?: string;
}

/** An opt-out, or its end, that a recipient stated to the provider and not in a message. */
export interface ConsentChange {
  /** Number or user id. */
  recipient: string;
  /** The business number. */
  sender: string;
  consent: 'stop' | 'start';
  at: Date;
}
