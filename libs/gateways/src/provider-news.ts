import type { Category } from '@signalbox/domain/templates/template';

/** A provider's word on a template that is registered with it. */
export interface TemplateNews {
  gatewayTemplateId: string;
  name: string;
  language: string;
  /** The provider's word for the new status. */
  status?: string;
  quality?: string;
  category?: Category;
  /** Category that the template gets in a day. */
  comingCategory?: Category;
  reason?: string;
  at: Date;
}

/** An opt-out, or its end, that a recipient stated to the provider and not in a message. */
export interface GatewayWish {
  /** Number or user id. */
  recipient: string;
  /** The business number. */
  sender: string;
  wish: 'stop' | 'start';
  at: Date;
}
