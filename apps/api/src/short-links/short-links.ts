import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import {
  type NewClick,
  type ShortLink,
  findShortLinks,
  insertClicks,
} from '@signalbox/database/messages/short-links';
import { type ClickSigns, clickKind } from '@signalbox/domain/links/click-kind';
import { isShortCode } from '@signalbox/domain/links/short-code';
import { bisect } from '@signalbox/runtime/bisect';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';

/** Maximum age of a cached link; a popular link is queried once a second. */
const FRESH_MS = 1_000;
const MAX_CACHED = 20_000;

/** Clicks that are written together, and that wait; more are dropped: a redirect never depends on its count. */
const LIMITS = { maxBatch: 1_000, maxWaiting: 50_000 };

/** Resolves short links, and counts their clicks. */
@Injectable()
export class ShortLinks implements OnModuleDestroy {
  private readonly links: CachedLookup<string, ShortLink>;
  private readonly clicks: GroupCommit<NewClick, undefined>;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {
    this.links = new CachedLookup((codes) => findLinks(db, codes), {
      freshMs: FRESH_MS,
      maxCached: MAX_CACHED,
    });
    this.clicks = new GroupCommit((clicks) => this.write(clicks), LIMITS);
  }

  /** Resolves a code and counts the click; undefined for a code that is unknown or expired. */
  async follow(code: string, signs: ClickSigns): Promise<string | undefined> {
    const link = isShortCode(code) ? await this.links.find(code) : undefined;
    if (link) this.count(link, signs);
    return link?.target;
  }

  /** Resolves when all counted clicks are written. */
  onModuleDestroy(): Promise<void> {
    return this.clicks.close();
  }

  /** Counts a click in the background; failures are logged. */
  private count({ accountId, submissionId, n, link }: ShortLink, signs: ClickSigns): void {
    const click = { accountId, submissionId, n, link, kind: clickKind(signs), clickedAt: new Date() };
    this.clicks.add(click).catch((error: unknown) => this.lost(1, error));
  }

  /** Never throws, so that a failure is logged once and not once per click. */
  private async write(clicks: NewClick[]): Promise<undefined[]> {
    try {
      const refused = await bisect(clicks, (part) => insertClicks(this.db, part), isRefusedValue);
      if (refused[0]) this.lost(refused.length, refused[0].error);
    } catch (error) {
      this.lost(clicks.length, error);
    }
    return clicks.map(() => undefined);
  }

  private lost(count: number, error: unknown): void {
    this.logger.warn({ count, error }, 'click.lost');
  }
}

async function findLinks(db: EntityManager, codes: string[]): Promise<(ShortLink | undefined)[]> {
  const found = new Map((await findShortLinks(db, codes)).map((link) => [link.code, link]));
  return codes.map((code) => found.get(code));
}
