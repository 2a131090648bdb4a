import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described, exampleBodies } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { PreviewView, TestView } from './webhook-test.view.ts';
import { PREVIEW_ANSWER, PREVIEW_BODIES, TEST_ANSWER } from './webhook-tests.examples.ts';
import { WebhookTestsService } from './webhook-tests.service.ts';
import { PreviewRequest, TestQuery } from './webhook.dto.ts';
import { WEBHOOK_ID } from './webhooks.examples.ts';

@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhookTestsController {
  constructor(private readonly tests: WebhookTestsService) {}

  /** Shows the call that a webhook of these settings would get. */
  @Post('preview')
  @HttpCode(200)
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'previewWebhook',
    summary: 'Look at a call before a webhook is saved',
    description:
      'Renders the report of a sample, or of a message of the account, by these settings. Nothing is called or stored. Scope: `webhooks`.',
  })
  @ApiBody(exampleBodies(PreviewRequest, PREVIEW_BODIES))
  @ApiResponse(
    described(200, 'The call as it would be made; `query` of a GET, `body` of a POST.', PREVIEW_ANSWER),
  )
  async preview(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: PreviewRequest,
  ): Promise<Answer<PreviewView>> {
    return answer(await this.tests.preview(caller.accountId, request), 'This is what would be sent.');
  }

  /** Calls a webhook with a sample. */
  @Post(':id/test')
  @HttpCode(200)
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Call a webhook with a sample',
    description:
      'The call is signed like any other; its header `webhook-test: true` and its `webhook-id`, which begins with `test_`, say what it is. A webhook that is disabled can be tested too. At most 10 in a minute. Scope: `webhooks`.',
  })
  @ApiParam({ name: 'id', example: WEBHOOK_ID })
  @ApiResponse(
    described(
      200,
      'How the call went, with what was sent and the first 1,024 characters of the answer.',
      TEST_ANSWER,
    ),
  )
  async test(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
    @Query() { event }: TestQuery,
  ): Promise<Answer<TestView>> {
    const result = await this.tests.test(caller, id, event);
    return answer(
      result,
      result.ok
        ? 'The endpoint accepted the sample.'
        : `The endpoint did not accept the sample: ${result.error}.`,
    );
  }
}
