import { Body, Controller, Param, Post, Query } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { WEBHOOK_ID } from '../docs/example-ids.ts';
import { dataOf } from '../http/answer.ts';
import { PreviewView, TestView } from './webhook-test.view.ts';
import * as examples from './webhook-tests.examples.ts';
import { WebhookTestsService } from './webhook-tests.service.ts';
import { PreviewRequest, TestQuery, UnsavedTestRequest } from './webhook.dto.ts';

@Endpoints('Webhooks', { scope: 'webhooks', params: { id: { example: WEBHOOK_ID } } })
@Controller('v1/webhooks')
export class WebhookTestsController {
  constructor(private readonly tests: WebhookTestsService) {}

  @Post('preview')
  @Endpoint({
    reads: true,
    summary: 'Preview the call of a webhook',
    description:
      'Renders the report of a sample, or of a message of the account, with the given settings. Nothing is called or stored.',
    body: examples.PREVIEW_BODIES,
    answer: dataOf(PreviewView, examples.REQUEST, 'The call was rendered; nothing was sent.'),
    returns: 'The rendered call, with the `query` of a GET or the `body` of a POST.',
  })
  previewWebhook(@CurrentAccount() accountId: string, @Body() request: PreviewRequest) {
    return this.tests.preview(accountId, request);
  }

  @Post('test')
  @Endpoint({
    unlimited: true,
    summary: 'Call an endpoint with settings that are not saved',
    description:
      'Makes the call that a preview shows, marked and limited like the test of a webhook. It is signed with the secret of `webhookId`, or with a new one that this response shows.',
    body: examples.PREVIEW_BODIES,
    answer: dataOf(TestView, examples.UNSAVED_TEST, outcomeOf),
    returns: 'The outcome, the call that was made, and the first 1,024 characters of its response.',
  })
  testWebhookSettings(@CurrentCaller() caller: KeyHolder, @Body() request: UnsavedTestRequest) {
    return this.tests.testSettings(caller, request);
  }

  @Post(':id/test')
  @Endpoint({
    unlimited: true,
    summary: 'Call a webhook with a sample',
    description:
      'Signs the call like a push. The header `webhook-test: true` and a `webhook-id` that begins with `test_` mark it as a test. Disabled webhooks can be tested, too. An account may make 10 tests per minute.',
    answer: dataOf(TestView, examples.TEST, outcomeOf),
    returns: 'The outcome, the call that was made, and the first 1,024 characters of its response.',
  })
  testWebhook(@CurrentCaller() caller: KeyHolder, @Param('id') id: string, @Query() { event }: TestQuery) {
    return this.tests.test(caller, id, event);
  }
}

function outcomeOf({ ok, error }: TestView): string {
  return ok ? 'The endpoint accepted the sample.' : `The endpoint did not accept the sample: ${error}.`;
}
