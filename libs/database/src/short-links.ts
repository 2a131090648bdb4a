import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';

/** The link number `link` of a message. Where it leads stands in the submission. */
export interface NewShortLink extends MessageKey {
  code: string;
  accountId: string;
  link: number;
}

/** Stores links, each good for `days`. One that is there already stays as it is, so a message may be written again. */
export async function insertShortLinks(db: EntityManager, links: NewShortLink[], days: number): Promise<void> {
  await db.query(
    `INSERT INTO short_link (code, account_id, submission_id, n, link, expires_at)
     SELECT l.*, now() + make_interval(days => $6) FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::integer[], $5::smallint[]) AS l
     ON CONFLICT ON CONSTRAINT short_link_pkey DO NOTHING`,
    [
      links.map((l) => l.code),
      links.map((l) => l.accountId),
      links.map((l) => l.submissionId),
      links.map((l) => l.n),
      links.map((l) => l.link),
      days,
    ],
  );
}
