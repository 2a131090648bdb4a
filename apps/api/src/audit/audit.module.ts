import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.ts';

/** The audit log of an account. */
@Module({ controllers: [AuditController] })
export class AuditModule {}
