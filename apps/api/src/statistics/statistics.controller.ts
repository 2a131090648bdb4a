import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { dataOf } from '../http/answer.ts';
import { MessageStatsQuery, UsageQuery } from './statistics.dto.ts';
import { STATS, USAGE } from './statistics.examples.ts';
import { StatisticsService } from './statistics.service.ts';
import { MessageStats, Usage } from './statistics.view.ts';

@Endpoints('Statistics', { scope: 'send' })
@Controller('v1/stats')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('messages')
  @Endpoint({
    cost: 5,
    summary: 'Count messages over time',
    description:
      'Counts accepted, submitted, delivered, read and failed messages by interval, and how long deliveries took. Every interval of the range is present. The figures are a few seconds old.',
    answer: dataOf(MessageStats, STATS, (stats) => `${stats.series.length} series.`),
    returns: 'The series.',
  })
  getMessageStats(@CurrentAccount() accountId: string, @Query() query: MessageStatsQuery) {
    return this.statistics.messages(accountId, query);
  }

  @Get('usage')
  @Endpoint({
    cost: 5,
    summary: 'Get messages and credits by day',
    description: 'Counts accepted messages and their credits by day, and by channel or sender.',
    answer: dataOf(Usage, USAGE, (usage) => `${usage.series.length} series.`),
    returns: 'The use of the account.',
  })
  getUsage(@CurrentAccount() accountId: string, @Query() query: UsageQuery) {
    return this.statistics.usage(accountId, query);
  }
}
