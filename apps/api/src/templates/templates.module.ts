import { Module } from '@nestjs/common';
import { TemplatesController } from './templates.controller.ts';
import { TemplatesService } from './templates.service.ts';

/** Chat-app templates and their reviews. */
@Module({ controllers: [TemplatesController], providers: [TemplatesService] })
export class TemplatesModule {}
