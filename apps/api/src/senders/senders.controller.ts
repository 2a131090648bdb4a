import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer, counted } from '../http/answer.ts';
import { SenderView } from './sender.view.ts';
import * as examples from './senders.examples.ts';
import { SendersService } from './senders.service.ts';

@ApiTags('Senders')
@Controller('v1/senders')
export class SendersController {
  constructor(private readonly senders: SendersService) {}

  @Get()
  @Endpoint({
    id: 'listSenders',
    scope: 'send',
    summary: 'List the senders of the account',
    description:
      'The numbers of its chat accounts, at most 1,000, and the senders of its latest SMS. An SMS may have any other sender too.',
    data: Type.Array(SenderView),
    answer: examples.SENDERS_ANSWER,
    returns: 'The senders.',
  })
  async list(@CurrentAccount() accountId: string): Promise<Answer<SenderView[]>> {
    const senders = await this.senders.list(accountId);
    return answer(senders, `${counted(senders.length, 'sender')}.`);
  }
}
