import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ApiKeysController } from './api-keys.controller.ts';
import { ApiKeysService } from './api-keys.service.ts';

/** API keys of an account. */
@Module({ imports: [AuthModule], controllers: [ApiKeysController], providers: [ApiKeysService] })
export class ApiKeysModule {}
