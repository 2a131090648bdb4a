import { Module } from '@nestjs/common';
import { OptOutsController } from './opt-outs.controller.ts';
import { OptOutsService } from './opt-outs.service.ts';

/** Recipients who opted out of an account's messages. */
@Module({ controllers: [OptOutsController], providers: [OptOutsService] })
export class OptOutsModule {}
