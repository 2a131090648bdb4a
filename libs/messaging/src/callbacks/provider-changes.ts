import { type IdentityNotice, applyIdentityNotices } from '@signalbox/database/chat/identity-notices';
import { type ConsentChange, applyConsentChanges } from '@signalbox/database/chat/inbound-messages';
import { type ProviderTemplate, applyProviderTemplates } from '@signalbox/database/templates/provider-states';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import type { ReadCallback } from '@signalbox/gateways/callback-format';
import { templateReason, templateStatusOf } from '@signalbox/gateways/cloud-api/template-status';
import type { TemplateChange } from '@signalbox/gateways/provider-changes';
import type { EntityManager } from 'typeorm';

/** Changes of templates, identities and opt-outs that a provider reported. */
export interface ProviderChanges {
  templates: ProviderTemplate[];
  identities: IdentityNotice[];
  consents: ConsentChange[];
}

/** Converts the templates, identities and opt-outs of a callback to what is stored. */
export function toProviderChanges(
  gateway: string,
  { templates = [], identities = [], consents = [] }: ReadCallback,
): ProviderChanges {
  const now = new Date();
  return {
    templates: templates.map(({ at, ...change }) =>
      toProviderTemplate(gateway, change, clampInstant(at, now)),
    ),
    identities,
    consents: consents.map((consent) => ({ ...consent, at: clampInstant(consent.at, now) })),
  };
}

/** Stores the changes of callbacks, those of one template in order. One that the gateway does not have is skipped. */
export async function storeProviderChanges(db: EntityManager, changes: ProviderChanges[]): Promise<void> {
  await applyProviderTemplates(
    db,
    changes.flatMap(({ templates }) => templates),
  );
  await applyIdentityNotices(
    db,
    changes.flatMap(({ identities }) => identities),
  );
  await applyConsentChanges(
    db,
    changes.flatMap(({ consents }) => consents),
  );
}

/**
 * Converts a template's state at its provider, with the status that it stands for here.
 *
 * @param at the time of the state; null when the provider states it now
 */
export function toProviderTemplate(
  gateway: string,
  change: Omit<TemplateChange, 'at'>,
  at: Date | null,
): ProviderTemplate {
  const reason = templateReason(change.status, change.reason);
  return {
    gateway,
    gatewayTemplateId: toStorableText(change.gatewayTemplateId),
    name: toStorableText(change.name),
    language: toStorableText(change.language),
    providerStatus: change.status === undefined ? null : toStorableText(change.status),
    status: templateStatusOf(change.status),
    reason: reason === null ? null : toStorableText(reason),
    quality: change.quality === undefined ? null : toStorableText(change.quality),
    category: change.category ?? null,
    comingCategory: change.comingCategory ?? null,
    at,
  };
}
