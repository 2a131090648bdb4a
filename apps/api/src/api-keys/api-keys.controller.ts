import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ApiKeyChange, ApiKeyRequest, RotationRequest } from './api-key.dto.ts';
import { ApiKeyView, NewApiKeyView } from './api-key.view.ts';
import * as examples from './api-keys.examples.ts';
import { ApiKeysService } from './api-keys.service.ts';

const params = { id: { example: examples.KEY_ID } };

@ApiTags('Users')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Endpoint({
    id: 'listApiKeys',
    scope: 'manage',
    summary: 'List API keys',
    description: 'Newest first, also those that ended.',
    entries: ApiKeyView,
    answer: examples.KEYS_ANSWER,
    returns: 'One page of keys.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return listAnswer(await this.keys.list(accountId, query), 'API key');
  }

  @Post()
  @Endpoint({
    id: 'createApiKey',
    scope: 'manage',
    summary: 'Create an API key',
    description:
      'The key is in this answer only. Its scopes are at most those of the caller, and it ends no later than a key that makes it.',
    status: 201,
    idempotent: true,
    body: exampleBodies(ApiKeyRequest, examples.KEY_BODIES),
    data: NewApiKeyView,
    answer: examples.KEY_CREATED_ANSWER,
    returns: 'The key.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: ApiKeyRequest,
  ): Promise<Answer<NewApiKeyView>> {
    return answer(await this.keys.create({ ...call, request }), 'The key was created. Keep it now.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeApiKey',
    scope: 'manage',
    summary: 'Rename an API key',
    params,
    body: exampleBodies(ApiKeyChange, examples.KEY_CHANGES),
    data: ApiKeyView,
    answer: examples.KEY_ANSWER,
    returns: 'The key.',
  })
  async rename(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { name }: ApiKeyChange,
  ): Promise<Answer<ApiKeyView>> {
    return answer(await this.keys.rename(caller, id, name), 'The key was renamed.');
  }

  @Post(':id/rotate')
  @Endpoint({
    id: 'rotateApiKey',
    scope: 'manage',
    summary: 'Rotate an API key',
    description: 'Creates a key with the same name and scopes. The old one works for `overlapHours` more.',
    status: 201,
    idempotent: true,
    params,
    body: exampleBodies(RotationRequest, examples.ROTATIONS),
    data: NewApiKeyView,
    answer: examples.KEY_ROTATED_ANSWER,
    returns: 'The new key.',
  })
  async rotate(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
    @Body() request: RotationRequest,
  ): Promise<Answer<NewApiKeyView>> {
    return answer(
      await this.keys.rotate(id, { ...call, request }),
      'The key was rotated. Keep the new one now.',
    );
  }

  @Delete(':id')
  @Endpoint({
    id: 'revokeApiKey',
    scope: 'manage',
    summary: 'Revoke an API key',
    description: 'Every process refuses the key within a second. A key may revoke itself.',
    params,
    data: DELETED,
    answer: examples.KEY_REVOKED_ANSWER,
    returns: 'The id of the key.',
  })
  async revoke(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<Answer<{ id: string }>> {
    return answer(await this.keys.revoke(caller, id), 'The key was revoked.');
  }
}
