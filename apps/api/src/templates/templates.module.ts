import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { TemplatesController } from './templates.controller.ts';
import { TemplatesService } from './templates.service.ts';

/** Chat-app templates and their reviews. */
@Module({ imports: [AuthModule], controllers: [TemplatesController], providers: [TemplatesService] })
export class TemplatesModule {}
