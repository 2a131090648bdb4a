import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  type NewClick,
  type ShortLink,
  findShortLinks,
  insertClicks,
} from '@signalbox/database/messages/short-links';
import { type ClickSigns, clickKind } from '@signalbox/domain/links/click-kind';
import { isShortCode } from '@signalbox/domain/links/short-code';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';

/** A link that many follow at once is looked up once a second. */
const FRESH_MS = 1_000;
const MAX_CACHED = 20_000;

const MAX_BATCH = 1_000;
/** Beyond so many clicks that wait to be written, more are let go: a link leads on, counted or not. */
const MAX_WAITING = 50_000;

/** Where short links lead, and who followed them. */
@Injectable()
export class ShortLinks implements OnModuleDestroy {
  private readonly links: CachedLookup<ShortLink>;
  private readonly clicks: GroupCommit<NewClick, undefined>;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {
    this.links = new CachedLookup((codes) => findLinks(db, codes), {
      freshMs: FRESH_MS,
      maxCached: MAX_CACHED,
    });
    this.clicks = new GroupCommit((clicks) => this.write(clicks), {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
    });
  }

  /** The address that a code leads to, and the click is counted; undefined for a code that is unknown or has expired. */
  async follow(code: string, signs: ClickSigns): Promise<string | undefined> {
    const link = isShortCode(code) ? await this.links.find(code) : undefined;
    if (link) this.count(link, signs);
    return link?.target;
  }

  /** Resolves when the clicks made before are written. */
  onModuleDestroy(): Promise<void> {
    return this.clicks.close();
  }

  /** Nobody waits for it, and it fails nobody. */
  private count({ accountId, submissionId, n, link }: ShortLink, signs: ClickSigns): void {
    const click = { accountId, submissionId, n, link, kind: clickKind(signs), clickedAt: new Date() };
    this.clicks.add(click).catch((error: unknown) => this.lost(1, error));
  }

  /** Its own failures end here, so that they are told of once and not once per click. */
  private async write(clicks: NewClick[]): Promise<undefined[]> {
    await insertClicks(this.db, clicks).catch((error: unknown) => this.lost(clicks.length, error));
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
