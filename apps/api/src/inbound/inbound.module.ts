import { Module } from '@nestjs/common';
import { InboundController } from './inbound.controller.ts';
import { InboundService } from './inbound.service.ts';

/** Messages that customers send to an account; those of SMS have their routes in the module of SMS. */
@Module({ controllers: [InboundController], providers: [InboundService], exports: [InboundService] })
export class InboundModule {}
