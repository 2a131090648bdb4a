import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { OrphanAssignment, OrphanQuery } from './orphan-report.dto.ts';
import { OrphanReportView } from './orphan-report.view.ts';
import * as examples from './orphan-reports.examples.ts';
import { OrphanReportsService } from './orphan-reports.service.ts';

@Endpoints('Gateways', { scope: 'ops', params: { id: { example: examples.ORPHAN_ID } } })
@Controller('v1/orphan-reports')
export class OrphanReportsController {
  constructor(private readonly orphans: OrphanReportsService) {}

  @Get()
  @Endpoint({
    summary: 'List orphan reports',
    description:
      'Delivery reports that match no message, and SMS to numbers that no account owns, newest first. They are tried again for an hour, and kept for 7 days.',
    answer: pageOf(OrphanReportView, [examples.ORPHAN], 'orphan report'),
  })
  listOrphanReports(@CurrentAccount() accountId: string, @Query() query: OrphanQuery) {
    return this.orphans.list(accountId, query);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Assign an orphan report',
    description:
      'Gives a report to a message, or an inbound SMS to an account; it is then applied and pushed like any other.',
    body: examples.ASSIGNMENTS,
    answer: dataOf(OrphanReportView, examples.ORPHAN_ASSIGNED, 'The report was assigned.'),
  })
  assignOrphanReport(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() assignment: OrphanAssignment,
  ) {
    return this.orphans.assign(caller, id, assignment);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Discard an orphan report',
    answer: dataOf(DELETED, { id: examples.ORPHAN_ID }, 'The report was discarded.'),
  })
  discardOrphanReport(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.orphans.discard(caller, id);
  }
}
