import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { StatisticsController } from './statistics.controller.ts';
import { StatisticsService } from './statistics.service.ts';

/** Counts of messages and credits over time. */
@Module({
  imports: [AuthModule],
  controllers: [StatisticsController],
  providers: [StatisticsService],
})
export class StatisticsModule {}
