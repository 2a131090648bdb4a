import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { SearchController } from './search.controller.ts';
import { SearchService } from './search.service.ts';

/** One search over everything of an account. */
@Module({ imports: [AuthModule], controllers: [SearchController], providers: [SearchService] })
export class SearchModule {}
