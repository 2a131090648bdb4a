import { Injectable } from '@nestjs/common';
import {
  type PendingTemplate,
  type TemplateDecision,
  decideTemplates,
  listPendingTemplates,
} from '@signalbox/database/templates/reviews';
import { reviewTemplate } from '@signalbox/domain/templates/lint';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { ChatappWorkerConfig } from './config.ts';

/** Names this reviewer in the history of a template. */
const ACTOR = 'review:auto';

/** Decides on templates by the rules of the linter, unless people review them. */
@Injectable()
export class TemplateReviewer {
  constructor(
    private readonly db: EntityManager,
    private readonly config: ChatappWorkerConfig,
    private readonly logger: Logger,
  ) {}

  /** Decides on the pending ones of these templates. Skips a template that was decided or edited meanwhile. */
  async review(ids: string[]): Promise<{ decided: number }> {
    if (this.config.TEMPLATE_REVIEW === 'manual') return { decided: 0 };
    const pending = await listPendingTemplates(this.db, ids);
    const decisions = pending.flatMap((template) => this.decide(template) ?? []);
    return { decided: (await decideTemplates(this.db, decisions, ACTOR)).length };
  }

  /**
   * Returns no decision about a template whose content is invalid: it stays pending, and is parked after its last
   * start.
   */
  private decide({ id, version, ...content }: PendingTemplate): TemplateDecision | undefined {
    try {
      return { id, version, ...reviewTemplate(content) };
    } catch (error) {
      this.logger.error({ templateId: id, version, error }, 'template.unreadable');
      return undefined;
    }
  }
}
