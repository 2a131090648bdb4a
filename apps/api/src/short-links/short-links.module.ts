import { Module } from '@nestjs/common';
import { ShortLinks } from './short-links.ts';

/** Short links in SMS; their route is public and added in `api.ts`. */
@Module({ providers: [ShortLinks] })
export class ShortLinksModule {}
