import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { listIdRules, lockIdEvidence, storeIdEvidence } from '@signalbox/database/gateways/id-rules';
import {
  type Orphan,
  claimDueOrphans,
  deleteOrphans,
  postponeOrphans,
} from '@signalbox/database/gateways/orphans';
import { type IdForm, describeIdForm, idCandidates } from '@signalbox/domain/routing/id-forms';
import { type IdEvidence, addMatch } from '@signalbox/domain/routing/id-rule';
import { type KnownId, matchOrphan } from '@signalbox/domain/routing/orphan-match';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import type { Logger } from '@signalbox/runtime/logger';

/** Orphans that one pass tries: each has some forty candidates. */
const BATCH = 200;

/** Ids of a gateway that show the length and prefix of its ids. */
const SAMPLE = 50;

/** The known ids of gateways. */
export interface KnownIds {
  find(gateway: string, ids: string[]): Promise<KnownId[]>;
  /** Finds the segments of recipients without a final report, also when more share an id than `find` returns. */
  findOpen(gateway: string, ids: { gatewayMessageId: string; recipient: string }[]): Promise<KnownId[]>;
  /** Lists some of the newest ids of a gateway. */
  sample(gateway: string, limit: number): Promise<string[]>;
}

/**
 * Reports segments under the ids that their gateway answered, as its adapter would. Resolves with false for a report
 * that no segment waits for, which is possible where several have the id.
 */
export type ReportSegments = (gateway: string, reports: SegmentReport[]) => Promise<boolean[]>;

/** An orphan, the id that it is about, and the forms that lead there. */
interface Found {
  orphan: Orphan;
  gatewayMessageId: string;
  forms: IdForm[];
}

/** Seeks the messages of reports in the orphan box, in every form of their ids, and learns the form of each gateway. */
export class OrphanMatcher {
  constructor(
    private readonly db: EntityManager,
    private readonly ids: KnownIds,
    private readonly report: ReportSegments,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /**
   * Tries the due orphans once. A repeat after a crash reports a segment again, which moves nothing.
   *
   * @returns the number of orphans tried
   */
  async matchDue(): Promise<number> {
    const due = await claimDueOrphans(this.db, 'report', BATCH);
    const byGateway = Map.groupBy(due, ({ gateway }) => gateway);
    const errors: unknown[] = [];
    for (const [gateway, orphans] of byGateway)
      await this.matchOf(gateway, orphans).catch((error: unknown) => void errors.push(error));
    if (errors.length > 0) throw errors[0];
    return due.length;
  }

  private async matchOf(gateway: string, orphans: Orphan[]): Promise<void> {
    const sought = await this.seek(gateway, orphans);
    const isTaken = sought.length > 0 ? await this.report(gateway, sought.map(toReport)) : [];
    const found = sought.filter((_, i) => isTaken[i]);
    const ids = found.map(({ orphan }) => orphan.id);
    if (found.length > 0) {
      await this.db.transaction(async (db) => {
        await deleteOrphans(db, ids);
        await this.learn(db, gateway, found);
      });
      this.logger.info({ gateway, count: found.length }, 'orphans.matched');
    }
    const matched = new Set(ids);
    const others = orphans.map(({ id }) => id).filter((id) => !matched.has(id));
    await postponeOrphans(this.db, others);
  }

  private async seek(gateway: string, orphans: Orphan[]): Promise<Found[]> {
    const sample = await this.ids.sample(gateway, SAMPLE);
    const rule = (await listIdRules(this.db)).find((each) => each.gateway === gateway)?.form;
    const sought = orphans.map((orphan) => ({
      orphan,
      candidates: idCandidates(orphan.gatewayMessageId, sample),
    }));
    const all = new Set(sought.flatMap(({ candidates }) => candidates.map(({ id }) => id)));
    const known = await Promise.all([
      this.ids.findOpen(gateway, orphans.flatMap(toOpen)),
      this.ids.find(gateway, [...all]),
    ]);
    const rows = Map.groupBy(known.flat(), (row) => row.gatewayMessageId);
    return sought.flatMap(({ orphan, candidates }) => {
      const own = candidates.flatMap(({ id }) => rows.get(id) ?? []);
      const match = matchOrphan(orphan, candidates, own, rule);
      return match ? [{ orphan, gatewayMessageId: match.row.gatewayMessageId, forms: match.forms }] : [];
    });
  }

  private async learn(db: EntityManager, gateway: string, found: Found[]): Promise<void> {
    const lessons = found.filter(({ forms }) => forms.length > 0);
    if (lessons.length === 0) return;
    const known = await lockIdEvidence(db, gateway);
    const learned = lessons.reduce((evidence, { forms }) => addMatch(evidence, forms), known);
    await storeIdEvidence(db, gateway, learned);
    this.logChange(gateway, ruleOf(known), ruleOf(learned));
  }

  private logChange(gateway: string, before: IdForm | undefined, after: IdForm | undefined): void {
    if (before === after) return;
    const rule = after === undefined ? null : describeIdForm(after);
    this.logger.warn({ gateway, form: after ?? null, rule }, 'gateway.id_rule_changed');
  }
}

function toOpen({ gatewayMessageId, recipient }: Orphan): { gatewayMessageId: string; recipient: string }[] {
  return recipient === null ? [] : [{ gatewayMessageId, recipient }];
}

function ruleOf(evidence: readonly IdEvidence[]): IdForm | undefined {
  return evidence.find(({ isRule }) => isRule)?.form;
}

function toReport({ orphan, gatewayMessageId }: Found): SegmentReport {
  const { recipient, status, errCode, gatewayCode, description, reportedAt, receivedAt } = orphan;
  return {
    gatewayMessageId,
    recipient,
    status,
    errCode,
    gatewayCode,
    description,
    reportedAt,
    receivedAt,
  };
}
