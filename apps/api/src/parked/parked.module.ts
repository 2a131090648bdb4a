import { Module } from '@nestjs/common';
import { ParkedController } from './parked.controller.ts';
import { ParkedService } from './parked.service.ts';

/** Rows that wait for an operator. */
@Module({ controllers: [ParkedController], providers: [ParkedService] })
export class ParkedModule {}
