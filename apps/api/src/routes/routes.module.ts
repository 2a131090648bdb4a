import { Module } from '@nestjs/common';
import { GatewaysModule } from '../gateways/gateways.module.ts';
import { RoutesController } from './routes.controller.ts';
import { RoutesService } from './routes.service.ts';

/** Rules by which messages get their gateway. */
@Module({ imports: [GatewaysModule], controllers: [RoutesController], providers: [RoutesService] })
export class RoutesModule {}
