import { Injectable } from '@nestjs/common';
import { applyProviderTemplate } from '@signalbox/database/templates/provider-states';
import {
  type DueRegistration,
  endRegistration,
  keepClaim,
  postponeRegistration,
  recordAttempt,
  recordRegistration,
  refuseRegistration,
  reserveName,
  withdrawAttempt,
} from '@signalbox/database/templates/registrations';
import {
  type CloudTemplate,
  type CloudTemplates,
  type TemplateOutcome,
  toChange,
} from '@signalbox/gateways/cloud-api/cloud-templates';
import { toProviderTemplate } from '@signalbox/messaging/callbacks/provider-changes';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { type Lost, SampleFiles } from './sample-files.ts';

/** Seconds of a claim: enough for the calls of a template, apart from its files. */
export const LEASE_SECONDS = 180;

/** Delay after the first failure. Each further one doubles it, up to an hour. */
const FIRST_DELAY_SECONDS = 5;
const MAX_DELAY_SECONDS = 3_600;

type Done = { result: 'ok'; template: CloudTemplate };

/**
 * Brings templates to their provider: creates, edits and deletes them there. A repeat is harmless: a template is looked
 * for by name before it is created, and the row says which version was sent before.
 */
@Injectable()
export class TemplateRegistrar {
  constructor(
    private readonly db: EntityManager,
    private readonly files: SampleFiles,
    private readonly logger: Logger,
  ) {}

  /**
   * Carries out one claimed registration, and records what came of it. Leaves one that was claimed again, while others
   * of its account were carried out or while its files were uploaded, to that claim.
   */
  async carryOut(due: DueRegistration, provider: CloudTemplates): Promise<void> {
    if (!(await keepClaim(this.db, due, LEASE_SECONDS))) return;
    const outcome = due.isDeleted ? await this.remove(due, provider) : await this.register(due, provider);
    const { templateId, version, gateway } = due;
    if (outcome.result === 'ok' || outcome.result === 'lost') return;
    this.logger.warn(
      { templateId, gateway, version, isDeleted: due.isDeleted, starts: due.starts, ...outcome },
      'template.unregistered',
    );
    if (outcome.result === 'refused' && !due.isDeleted)
      await refuseRegistration(this.db, templateId, version, outcome.reason);
    else await postponeRegistration(this.db, due, outcome.reason, delayOf(due));
  }

  private async register(
    due: DueRegistration,
    provider: CloudTemplates,
  ): Promise<TemplateOutcome<{ result: 'ok' } | Lost>> {
    if (!(await reserveName(this.db, due.templateId, provider.businessAccountId))) return takenName(due);
    const found = await provider.findByName(due.name, due.language);
    if (found.result !== 'ok') return found;
    const done = found.template
      ? await this.adopt(due, provider, found.template)
      : await this.create(due, provider);
    if (done.result !== 'ok') return done;
    await this.record(due, done.template);
    return { result: 'ok' };
  }

  /**
   * A template that is there either has this version already, because a try before got through, or it is edited. Meta
   * edits no template under review, so one that is under review after an edit was sent has got it. An approved one that
   * has the content is not edited, which Meta would refuse after an edit on the same day.
   */
  private async adopt(
    due: DueRegistration,
    provider: CloudTemplates,
    template: CloudTemplate,
  ): Promise<TemplateOutcome<Done | Lost>> {
    const wasSent = due.attemptedVersion === due.version;
    const isNew = due.gatewayTemplateId === null;
    if (wasSent && (isNew || isUnderReview(template))) return { result: 'ok', template };
    if (template.status === 'APPROVED' && provider.hasContent(template, due))
      return { result: 'ok', template };
    if (isUnderReview(template))
      return {
        result: 'later',
        reason: 'Meta reviews other content of this template, and allows no edit before it decides',
      };
    const samples = await this.files.upload(due, provider);
    if (samples.result !== 'ok') return samples;
    await recordAttempt(this.db, due.templateId, due.version, template.id);
    const edited = await provider.edit(template, due, samples.handles);
    if (edited.result === 'later') await withdrawAttempt(this.db, due.templateId);
    if (edited.result !== 'ok') return edited;
    return { result: 'ok', template: { ...template, status: 'PENDING', reason: undefined } };
  }

  /** A template that Meta has after all was created meanwhile, by a try whose answer was lost. */
  private async create(
    due: DueRegistration,
    provider: CloudTemplates,
  ): Promise<TemplateOutcome<Done | Lost>> {
    const samples = await this.files.upload(due, provider);
    if (samples.result !== 'ok') return samples;
    await recordAttempt(this.db, due.templateId, due.version, null);
    const created = await provider.create(due, samples.handles);
    if (created.result === 'later') await withdrawAttempt(this.db, due.templateId);
    if (created.result !== 'refused') return created;
    const found = await provider.findByName(due.name, due.language);
    return found.result === 'ok' && found.template ? { result: 'ok', template: found.template } : created;
  }

  private async record(due: DueRegistration, template: CloudTemplate): Promise<void> {
    const { gateway, templateId, version, name, language } = due;
    const { id, status } = template;
    const change = toChange({ ...template, name, language });
    await this.db.transaction(async (db) => {
      await recordRegistration(db, due, id);
      await applyProviderTemplate(db, toProviderTemplate(gateway, change, null));
    });
    this.logger.info({ templateId, gateway, version, status }, 'template.registered');
  }

  private async remove(
    due: DueRegistration,
    provider: CloudTemplates,
  ): Promise<TemplateOutcome<{ result: 'ok' }>> {
    const own = await this.findOwn(due, provider);
    if (own.result !== 'ok') return own;
    const { id } = own;
    const removed = id === null ? { result: 'ok' as const } : await provider.remove(due.name, id);
    if (removed.result === 'ok') await endRegistration(this.db, due.templateId);
    return removed;
  }

  /**
   * Finds what a template has at its provider, and never a template that others made. One that was sent without a
   * known answer is there if it was to be created, or if Meta reviews the edit of one that was there before.
   */
  private async findOwn(
    due: DueRegistration,
    provider: CloudTemplates,
  ): Promise<TemplateOutcome<{ result: 'ok'; id: string | null }>> {
    const { templateId, name, language, gatewayTemplateId } = due;
    if (due.attemptedVersion === 0) return { result: 'ok', id: null };
    if (!(await reserveName(this.db, templateId, provider.businessAccountId)))
      return { result: 'ok', id: null };
    if (due.registeredVersion > 0) return { result: 'ok', id: gatewayTemplateId };
    const found = await provider.findByName(name, language);
    if (found.result !== 'ok') return found;
    const { template } = found;
    const isOwn = template && (gatewayTemplateId === null || isUnderReview(template));
    return { result: 'ok', id: isOwn ? template.id : null };
  }
}

function takenName({ name, language }: DueRegistration): { result: 'refused'; reason: string } {
  return {
    result: 'refused',
    reason: `The WhatsApp account has a template named "${name}" in ${language} already, from another chat account that shares it. Delete this template, and create it under another name.`,
  };
}

function isUnderReview({ status }: CloudTemplate): boolean {
  return status === 'PENDING' || status === 'IN_APPEAL';
}

function delayOf({ starts }: DueRegistration): number {
  return Math.min(FIRST_DELAY_SECONDS * 2 ** Math.min(starts - 1, 12), MAX_DELAY_SECONDS);
}
