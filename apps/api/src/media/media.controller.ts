import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyRequest } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import { ReadsMultipart } from '../http/multipart-body.ts';
import { MediaService } from './media.service.ts';

const FORM = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
};
const UPLOADED = { data: 'pIf6wSqmcz1zJt0cWvXk2u8eYb3oNa9d', error: null, message: 'The file was stored.' };

@ApiTags('Chat-app templates')
@Controller('v1/chatapp')
export class MediaController {
  constructor(private readonly media: MediaService) {}

  /** Stores a file for the header of a template; the answer's `data` is its handle (spec 4.1). */
  @Post('generateHeaderHandle')
  @HttpCode(200)
  @ReadsMultipart()
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'generateHeaderHandle',
    summary: 'Upload a file for a header',
    description:
      'JPEG or PNG up to 5 MB, MP4 up to 16 MB, PDF up to 100 MB; what counts is the content. The handle can be used in a template for 30 days. Scope: `templates`.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: FORM })
  @ApiResponse(described(200, 'Stored', UPLOADED))
  async generateHeaderHandle(
    @CurrentAccount() { accountId }: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Answer<string>> {
    return answer(await this.media.upload(accountId, request.raw), UPLOADED.message);
  }
}
