import { type StatedWish, carryOutWishes } from '@signalbox/database/chat/inbound-messages';
import { type ProviderWord, applyProviderWord } from '@signalbox/database/templates/registrations';
import { toStorableText } from '@signalbox/domain/sanitize';
import type { ReadCallback } from '@signalbox/gateways/callback-format';
import { templateReason, templateStatusOf } from '@signalbox/gateways/cloud-api/template-status';
import type { TemplateNews } from '@signalbox/gateways/provider-news';
import type { EntityManager } from 'typeorm';

/** Changes of templates and opt-outs that a provider reported. */
export interface ProviderNews {
  templates: ProviderWord[];
  wishes: StatedWish[];
}

/** Converts the templates and opt-outs of a callback to what is stored. */
export function toProviderNews(gateway: string, { templates = [], wishes = [] }: ReadCallback): ProviderNews {
  return { templates: templates.map((news) => toProviderWord(gateway, news)), wishes };
}

/** Stores the changes that a provider reported, in order. A template that the gateway does not have is skipped. */
export async function storeProviderNews(
  db: EntityManager,
  { templates, wishes }: ProviderNews,
): Promise<void> {
  for (const word of templates) await applyProviderWord(db, word);
  await carryOutWishes(db, wishes);
}

/** Converts a template's state at its provider, with the status that it stands for here. */
export function toProviderWord(gateway: string, news: Omit<TemplateNews, 'at'>): ProviderWord {
  const reason = templateReason(news.status, news.reason);
  return {
    gateway,
    gatewayTemplateId: toStorableText(news.gatewayTemplateId),
    name: toStorableText(news.name),
    language: toStorableText(news.language),
    providerStatus: news.status === undefined ? null : toStorableText(news.status),
    status: templateStatusOf(news.status),
    reason: reason === null ? null : toStorableText(reason),
    quality: news.quality === undefined ? null : toStorableText(news.quality),
    category: news.category ?? null,
    comingCategory: news.comingCategory ?? null,
  };
}
