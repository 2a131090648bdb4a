import { Controller, Get } from '@nestjs/common';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { counted, dataOf } from '../http/answer.ts';
import { SenderView } from './sender.view.ts';
import * as examples from './senders.examples.ts';
import { SendersService } from './senders.service.ts';

@Endpoints('Senders', { scope: 'send' })
@Controller('v1/senders')
export class SendersController {
  constructor(private readonly senders: SendersService) {}

  @Get()
  @Endpoint({
    summary: 'List the senders of the account',
    description:
      'The numbers of its chat accounts, at most 1,000, and the senders of its latest SMS. An SMS may have any other sender too.',
    answer: dataOf(
      Type.Array(SenderView),
      examples.SENDERS,
      (senders) => `${counted(senders.length, 'sender')}.`,
    ),
    returns: 'The senders.',
  })
  listSenders(@CurrentAccount() accountId: string) {
    return this.senders.list(accountId);
  }
}
