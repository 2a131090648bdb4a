import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { OrphanAssignment, OrphanQuery } from './orphan-report.dto.ts';
import { OrphanReportView } from './orphan-report.view.ts';
import * as examples from './orphan-reports.examples.ts';
import { OrphanReportsService } from './orphan-reports.service.ts';

const params = { id: { example: examples.ORPHAN_ID } };

@ApiTags('Gateways')
@Controller('v1/orphan-reports')
export class OrphanReportsController {
  constructor(private readonly orphans: OrphanReportsService) {}

  @Get()
  @Endpoint({
    id: 'listOrphanReports',
    scope: 'ops',
    summary: 'List orphan reports',
    description:
      'Delivery reports that match no message, and SMS to numbers that no account owns, newest first. They are tried again for an hour, and kept for 7 days.',
    entries: OrphanReportView,
    answer: examples.ORPHANS_ANSWER,
    returns: 'One page of the orphan box.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: OrphanQuery,
  ): Promise<ListAnswer<OrphanReportView>> {
    return listAnswer(await this.orphans.list(accountId, query), 'orphan report');
  }

  @Patch(':id')
  @Endpoint({
    id: 'assignOrphanReport',
    scope: 'ops',
    summary: 'Assign an orphan report',
    description:
      'Gives a report to a message, or an inbound SMS to an account; it is then applied and pushed like any other.',
    params,
    body: exampleBodies(OrphanAssignment, examples.ASSIGNMENTS),
    data: OrphanReportView,
    answer: examples.ORPHAN_ASSIGNED,
    returns: 'The assigned entry.',
  })
  async assign(
    @Param('id') id: string,
    @Body() assignment: OrphanAssignment,
  ): Promise<Answer<OrphanReportView>> {
    return answer(await this.orphans.assign(id, assignment), 'The report was assigned.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'discardOrphanReport',
    scope: 'ops',
    summary: 'Discard an orphan report',
    params,
    data: DELETED,
    answer: examples.ORPHAN_DISCARDED,
    returns: 'The id of the discarded entry.',
  })
  async discard(@Param('id') id: string): Promise<Answer<{ id: string }>> {
    return answer(await this.orphans.discard(id), 'The report was discarded.');
  }
}
