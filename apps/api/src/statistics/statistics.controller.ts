import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer } from '../http/answer.ts';
import { MessageStatsQuery, UsageQuery } from './statistics.dto.ts';
import { STATS_ANSWER, USAGE_ANSWER } from './statistics.examples.ts';
import { StatisticsService } from './statistics.service.ts';
import { MessageStats, Usage } from './statistics.view.ts';

@ApiTags('Statistics')
@Controller('v1/stats')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('messages')
  @Endpoint({
    id: 'getMessageStats',
    scope: 'send',
    cost: 5,
    summary: 'Count messages over time',
    description:
      'Counts accepted, submitted, delivered, read and failed messages by interval, and how long deliveries took. Every interval of the range is present. The figures are a few seconds old.',
    data: MessageStats,
    answer: STATS_ANSWER,
    returns: 'The series.',
  })
  async messages(
    @CurrentAccount() accountId: string,
    @Query() query: MessageStatsQuery,
  ): Promise<Answer<MessageStats>> {
    const stats = await this.statistics.messages(accountId, query);
    return answer(stats, `${stats.series.length} series.`);
  }

  @Get('usage')
  @Endpoint({
    id: 'getUsage',
    scope: 'send',
    cost: 5,
    summary: 'Get messages and credits by day',
    description: 'Counts accepted messages and their credits by day, and by channel or sender.',
    data: Usage,
    answer: USAGE_ANSWER,
    returns: 'The use of the account.',
  })
  async usage(@CurrentAccount() accountId: string, @Query() query: UsageQuery): Promise<Answer<Usage>> {
    const usage = await this.statistics.usage(accountId, query);
    return answer(usage, `${usage.series.length} series.`);
  }
}
