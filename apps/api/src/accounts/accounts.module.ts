import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller.ts';
import { AccountsService } from './accounts.service.ts';

/** Accounts as operators see them. */
@Module({ controllers: [AccountsController], providers: [AccountsService], exports: [AccountsService] })
export class AccountsModule {}
