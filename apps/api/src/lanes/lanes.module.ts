import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { LanesController } from './lanes.controller.ts';
import { LanesService } from './lanes.service.ts';

/** The backlog of the lanes, and the pause of an account. */
@Module({ imports: [AccountsModule], controllers: [LanesController], providers: [LanesService] })
export class LanesModule {}
