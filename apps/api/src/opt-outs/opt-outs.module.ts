import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { OptOutsController } from './opt-outs.controller.ts';
import { OptOutsService } from './opt-outs.service.ts';

/** Recipients who opted out of an account's messages. */
@Module({ imports: [AuthModule], controllers: [OptOutsController], providers: [OptOutsService] })
export class OptOutsModule {}
