import type { GraphError } from './error.ts';
import type { GraphClient } from './graph-client.ts';
import { numberOf } from './inbound.ts';
import { asObject, idOf, textOf } from './json.ts';
import { type GraphFailure, listEntries } from './list-entries.ts';

/** A number of a business account. */
export interface BusinessNumber {
  msisdn: string;
  phoneNumberId: string;
  /** Quality and status as Meta states them. */
  quality: string | null;
  status: string | null;
}

const FIELDS = 'id,display_phone_number,quality_rating,status,verified_name';
const MAX_PAGES = 20;

/** Lists the numbers of a business account, or the answer that ended the list. */
export async function listBusinessNumbers(
  client: GraphClient,
  businessAccountId: string,
): Promise<{ numbers: BusinessNumber[] } | { failed: GraphFailure }> {
  const path = `/${businessAccountId}/phone_numbers`;
  const listed = await listEntries(client, path, { fields: FIELDS }, MAX_PAGES);
  return 'failed' in listed ? listed : { numbers: listed.entries.flatMap(toNumber) };
}

function toNumber(entry: unknown): BusinessNumber[] {
  const { id, display_phone_number, quality_rating, status } = asObject(entry) ?? {};
  const [msisdn, phoneNumberId] = [numberOf(display_phone_number), idOf(id)];
  if (msisdn === undefined || phoneNumberId === undefined) return [];
  return [{ msisdn, phoneNumberId, quality: textOf(quality_rating) ?? null, status: textOf(status) ?? null }];
}

const FRESH_MS = 5 * 60_000;
/** Time between tries to load the list after a failure, or for a number that it lacked. */
const RETRY_MS = 10_000;

/** The numbers of a business account, cached for five minutes. Concurrent readers share one load. */
export class BusinessNumbers {
  private known: ReadonlyMap<string, BusinessNumber> | undefined;
  private loadedAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<void> | undefined;
  /** Reason of the last load, if it failed. */
  failure: GraphError | string | undefined;

  constructor(
    private readonly client: GraphClient,
    private readonly businessAccountId: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** All numbers, as far as they are known. */
  get all(): BusinessNumber[] {
    return [...(this.known?.values() ?? [])];
  }

  /**
   * Finds a number without a wait if it is known. A list older than five minutes is loaded in the background.
   *
   * @returns undefined for a number that is not in the list, and 'unknown' while that is not certain
   */
  async find(msisdn: string): Promise<BusinessNumber | 'unknown' | undefined> {
    const known = this.known?.get(msisdn);
    const isStale = this.now() - this.loadedAt > FRESH_MS || !known;
    if (isStale && this.now() - this.triedAt > RETRY_MS) void this.load();
    if (known) return known;
    if (this.loading) await this.loading;
    const isCertain = this.known !== undefined && this.failure === undefined;
    return this.known?.get(msisdn) ?? (isCertain ? undefined : 'unknown');
  }

  /** Loads the list. A failure keeps the numbers that are known. */
  load(): Promise<void> {
    this.loading ??= this.fetch().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async fetch(): Promise<void> {
    this.triedAt = this.now();
    const listed = await listBusinessNumbers(this.client, this.businessAccountId);
    if ('failed' in listed) {
      this.failure = listed.failed.result === 'refused' ? listed.failed.error : listed.failed.reason;
      return;
    }
    this.failure = undefined;
    this.loadedAt = this.now();
    this.known = new Map(listed.numbers.map((number) => [number.msisdn, number]));
  }
}
