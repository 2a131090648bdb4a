import { Module } from '@nestjs/common';
import { SystemController } from './system.controller.ts';
import { SystemService } from './system.service.ts';

/** The state of the installation, and of the endpoints of all accounts. */
@Module({ controllers: [SystemController], providers: [SystemService] })
export class SystemModule {}
