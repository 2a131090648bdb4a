import { FOUND_KINDS } from '@signalbox/database/search/search';
import { type Static, Type } from 'typebox';
import { TEXT, model, nullable, oneOf } from '../docs/model.ts';

export const FoundView = model('Found', 'Something that a search found.', {
  kind: oneOf(FOUND_KINDS),
  id: TEXT,
  label: Type.String({ description: 'Name or number that a person knows it by.' }),
  detail: nullable(TEXT, 'A second fact, such as a status.'),
  link: Type.String({ description: 'Path of the resource, or of its list, in this API.' }),
});
export type FoundView = Static<typeof FoundView>;
