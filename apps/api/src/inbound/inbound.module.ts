import { Module } from '@nestjs/common';
import { InboundController } from './inbound.controller.ts';
import { InboundService } from './inbound.service.ts';

/** Chat-app messages that customers send to an account. */
@Module({ controllers: [InboundController], providers: [InboundService] })
export class InboundModule {}
