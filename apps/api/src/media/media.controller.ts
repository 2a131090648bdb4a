import { Controller, Get, Param, Post, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount, CurrentCaller, ReadsOnly } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { TEXT } from '../docs/model.ts';
import { dataOf } from '../http/answer.ts';
import { ReadsMultipart } from '../http/multipart-body.ts';
import { MediaService } from './media.service.ts';

const FORM = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
};
/**
 * Headers of a file that a stranger may have made: no browser runs it in our origin, or takes it for another type.
 * Pages still show images and videos.
 */
const INERT = {
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'attachment',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=3600',
};

@Endpoints('Chat-app templates', { scope: 'templates' })
@Controller('v1/chatapp')
export class MediaController {
  constructor(private readonly media: MediaService) {}

  @Post('generateHeaderHandle')
  @ReadsMultipart()
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: FORM })
  @Endpoint({
    unlimited: true,
    summary: 'Upload a file for a template header',
    description:
      'Accepts JPEG and PNG up to 5 MB, MP4 up to 16 MB, and PDF up to 100 MB; the content decides the type. Templates can use the handle for 30 days.',
    answer: dataOf(TEXT, 'pIf6wSqmcz1zJt0cWvXk2u8eYb3oNa9d', 'The file was stored.'),
    returns: 'The handle of the stored file.',
  })
  generateHeaderHandle(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest) {
    return this.media.upload(caller, request.raw);
  }

  /** Downloads a file of the account by its handle. It is not in /docs, where every answer is JSON. */
  @Get('media/:handle')
  @ReadsOnly('downloadMedia', 'templates')
  async download(
    @CurrentAccount() accountId: string,
    @Param('handle') handle: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { mimeType, sizeBytes, content } = await this.media.read(accountId, handle);
    reply.headers(INERT);
    return new StreamableFile(content, { type: mimeType, length: sizeBytes, disposition: 'attachment' });
  }
}
