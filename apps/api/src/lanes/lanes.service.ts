import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { countWaitingPushes, listLaneBacklogs, listOpenMessages } from '@signalbox/database/ops/lanes';
import { countWaitingMessages } from '@signalbox/database/submissions/ready';
import { CHANNELS } from '@signalbox/domain/channel';
import type { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import type { LanesQuery } from './lane.dto.ts';
import { type LanesView, laneBacklogView, openMessagesView, waitingPushesView } from './lane.view.ts';

const PAGE_ACCOUNTS = 100;

/** Shows the backlog of the lanes. */
@Injectable()
export class LanesService {
  constructor(@InjectEntityManager(SEARCHES) private readonly db: EntityManager) {}

  async get({ after }: LanesQuery): Promise<LanesView> {
    const found = await listLaneBacklogs(this.db, PAGE_ACCOUNTS + 1, after);
    const accounts = [...new Set(found.map(({ accountId }) => accountId))].slice(0, PAGE_ACCOUNTS);
    const backlogs = found.filter(({ accountId }) => accounts.includes(accountId));
    return {
      backlogs: backlogs.map(laneBacklogView),
      moreAccounts: backlogs.length < found.length ? accounts.at(-1)! : null,
      openMessages: (await listOpenMessages(this.db)).map(openMessagesView),
      waitingMessages: await this.countWaiting(),
      waitingPushes: waitingPushesView(await countWaitingPushes(this.db)),
      accounts: accounts.length,
    };
  }

  private async countWaiting(): Promise<LanesView['waitingMessages']> {
    const counts = await Promise.all(CHANNELS.map((channel) => countWaitingMessages(this.db, channel)));
    return counts.flat().flatMap(({ lane, count }) => (count > 0 ? { lane, messages: count } : []));
  }
}
