import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { deleteOptOut, findOptOut, listOptOuts, upsertOptOuts } from '@signalbox/database/accounts/opt-outs';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { RateGate } from '../auth/rate-gate.ts';
import { SEARCHES } from '../core.module.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { OptOutQuery, OptOutRequest } from './opt-out.dto.ts';
import { type OptOutView, optOutView } from './opt-out.view.ts';

/** Manages the opt-outs of an account. */
@Injectable()
export class OptOutsService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly rate: RateGate,
  ) {}

  /**
   * Adds opt-outs. A number given twice counts once; an existing opt-out is renewed. Each takes a point of the rate
   * limit, as a message does; the API key guard has charged the first.
   *
   * @throws ApiError bulk_exceeds_rate_limit, rate_limited; those of `onceLive`
   */
  add(call: LiveCall<OptOutRequest>): Promise<OptOutView[]> {
    const numbers = numbersOf(call.request);
    return this.creations.checked(call, async () => {
      if (numbers.length > 1) await this.rate.passBulk(call.caller, numbers.length, call.reply);
      return this.insert(call, numbers);
    });
  }

  private insert(call: LiveCall<OptOutRequest>, numbers: string[]): Promise<OptOutView[]> {
    const { sender = '', source, reason = null } = call.request;
    const createdAt = new Date();
    const rows = numbers.map((recipient) => ({
      id: randomUUIDv7(),
      recipient,
      sender,
      source,
      reason,
      createdAt,
    }));
    return this.creations.onceLive(call, rows.map(optOutView), (db) =>
      upsertOptOuts(db, call.accountId, rows),
    );
  }

  /** @throws ApiError opt_out_not_found, also for an opt-out of another account */
  async get(accountId: string, id: string): Promise<OptOutView> {
    return optOutView(await findOwn(id, () => findOptOut(this.db, accountId, id), 'opt_out_not_found'));
  }

  /** Lists the account's opt-outs, newest first. */
  list(accountId: string, query: OptOutQuery): Promise<Page<OptOutView>> {
    const recipient = query.recipient && parseMsisdn(query.recipient);
    const read = (limit: number, before?: string) =>
      listOptOuts(this.searches, accountId, limit, before, recipient);
    return this.cursors.page('opt-outs', accountId, query, read, optOutView);
  }

  /** @throws ApiError opt_out_not_found; those of `requireLiveCaller` */
  delete(caller: Caller, id: string): Promise<{ id: string }> {
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      await findOwn(id, () => deleteOptOut(db, caller.accountId, id), 'opt_out_not_found');
      return { id };
    });
  }
}

function numbersOf({ recipient, recipients = [] }: OptOutRequest): string[] {
  const given = recipient === undefined ? recipients : [...recipients, recipient];
  return [...new Set(given.map((number) => parseMsisdn(number)!))];
}
