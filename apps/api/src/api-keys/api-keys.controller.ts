import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ApiKeyChange, ApiKeyRequest, RotationRequest } from './api-key.dto.ts';
import { ApiKeyView, NewApiKeyView } from './api-key.view.ts';
import * as examples from './api-keys.examples.ts';
import { ApiKeysService } from './api-keys.service.ts';

@Endpoints('Users', { scope: 'manage', params: { id: { example: examples.KEY_ID } } })
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Endpoint({
    summary: 'List API keys',
    description: 'Newest first, also those that ended.',
    answer: pageOf(ApiKeyView, [examples.KEY], 'API key'),
  })
  listApiKeys(@CurrentAccount() accountId: string, @Query() query: PageQuery) {
    return this.keys.list(accountId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create an API key',
    description:
      'The key is in this response only. Its scopes are at most those of the caller, and it ends no later than a key that makes it.',
    status: 201,
    idempotent: true,
    body: examples.KEY_BODIES,
    answer: dataOf(NewApiKeyView, examples.NEW, 'The key was created. Keep it now.'),
  })
  createApiKey(@CurrentCall() call: RepeatableCall, @Body() request: ApiKeyRequest) {
    return this.keys.create({ ...call, request });
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Rename an API key',
    body: examples.KEY_CHANGES,
    answer: dataOf(ApiKeyView, examples.RENAMED, 'The key was renamed.'),
  })
  changeApiKey(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() { name }: ApiKeyChange) {
    return this.keys.rename(caller, id, name);
  }

  @Post(':id/rotate')
  @Endpoint({
    summary: 'Rotate an API key',
    description: 'Creates a key with the same name and scopes. The old one works for `overlapHours` more.',
    status: 201,
    idempotent: true,
    body: examples.ROTATIONS,
    answer: dataOf(NewApiKeyView, examples.NEW, 'The key was rotated. Keep the new one now.'),
  })
  rotateApiKey(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
    @Body() request: RotationRequest,
  ) {
    return this.keys.rotate(id, { ...call, request });
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Revoke an API key',
    description: 'Every process refuses the key within a second. A key may revoke itself.',
    answer: dataOf(DELETED, { id: examples.KEY_ID }, 'The key was revoked.'),
  })
  revokeApiKey(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.keys.revoke(caller, id);
  }
}
