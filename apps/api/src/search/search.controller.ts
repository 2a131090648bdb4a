import { Controller, Get, Query } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { Type } from 'typebox';
import { CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { MESSAGE_ID } from '../docs/example-ids.ts';
import { counted, dataOf } from '../http/answer.ts';
import { FilledText } from '../http/rules.ts';
import { SearchService } from './search.service.ts';
import { FoundView } from './search.view.ts';

/** A search. */
export class SearchQuery {
  @ApiProperty({
    description: 'An id, a phone number, or a name, at most 256 characters.',
    example: '919812345678',
  })
  @FilledText(256)
  q!: string;
}

const FOUND: FoundView[] = [
  {
    kind: 'message',
    id: MESSAGE_ID,
    label: '919812345678',
    detail: 'Delivered',
    link: `/v1/messages/${MESSAGE_ID}`,
  },
];

@Endpoints('Messages', { scope: 'any' })
@Controller('v1/search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Get()
  @Endpoint({
    cost: 2,
    searches: true,
    summary: 'Find what an id, a number or a name belongs to',
    description:
      'Takes the id of a send, message, inbound message, delivery, report, webhook, template, verification or opt-out; a phone number; a campaign or reference, exactly; or part of the name of a webhook, template, chat account or configuration. It finds what the scopes of the caller may see, at most five of each kind.',
    answer: dataOf(Type.Array(FoundView), FOUND, (found) => `${counted(found.length, 'result')}.`),
    returns: 'The matches.',
  })
  search(@CurrentCaller() caller: KeyHolder, @Query() { q }: SearchQuery) {
    return this.searches.find(caller, q);
  }
}
