import { expect, test } from '@jest/globals';
import type { Found } from '@signalbox/client';
import { defaultParseSearch } from '@tanstack/react-router';
import { PAGES } from './found-pages.ts';

test.each(['12345678901234567890', '1.50', 'true', 'null', '"quoted"', '{"a":1}', 'a&b=c d', '50 %'])(
  'the reference and the campaign %j are searched as they are',
  (id) => {
    const queryOf = (kind: Found['kind']) =>
      defaultParseSearch(PAGES[kind]!.path({ kind, id, label: id, detail: null, link: '' }).split('?')[1]!);

    expect(queryOf('reference')).toEqual({ clientRef: id });
    expect(queryOf('campaign')).toEqual({ campaignName: id });
  },
);
