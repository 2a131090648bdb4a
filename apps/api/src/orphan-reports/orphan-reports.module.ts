import { Module } from '@nestjs/common';
import { OrphanReportsController } from './orphan-reports.controller.ts';
import { OrphanReportsService } from './orphan-reports.service.ts';

/** The orphan box: reports without a message, and inbound SMS without an account. */
@Module({ controllers: [OrphanReportsController], providers: [OrphanReportsService] })
export class OrphanReportsModule {}
