import { Module } from '@nestjs/common';
import { EventStream } from './event-stream.ts';

/** Events of open pages. */
@Module({ providers: [EventStream], exports: [EventStream] })
export class StreamModule {}
