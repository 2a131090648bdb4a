/** A page of a list, as the api answers it. */
export interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
}

/** The place of a page in its list. */
export interface ListPlace {
  cursor: string | undefined;
  /** Rows before the page. */
  before: number;
  previous?: ListPlace;
}

/** Pages that follow one another, and their places. */
export interface ListPages<Row> {
  pages: Page<Row>[];
  pageParams: ListPlace[];
}

/** The place of the first page. */
export const START: ListPlace = { cursor: undefined, before: 0 };

/** The place of the first of some pages; the start of the list without any. */
export function firstPlace<Row>(data: ListPages<Row> | undefined): ListPlace {
  return data?.pageParams[0] ?? START;
}

/** The cursor after a page that is not read yet. */
const UNREAD = '';

/** Pages that begin at a place, before they are read. */
export function unreadAt<Row>(place: ListPlace): ListPages<Row> {
  return { pages: [{ data: [], nextCursor: UNREAD }], pageParams: [place] };
}

/** True for pages of which the last one is not read yet: no cursor leads on from it. */
export function endsUnread<Row>(data: ListPages<Row> | undefined): boolean {
  return data?.pages.at(-1)?.nextCursor === UNREAD;
}

/** The place after a page; undefined at the end of the list. */
export function placeAfter<Row>(place: ListPlace, { data, nextCursor }: Page<Row>): ListPlace | undefined {
  if (nextCursor === null) return undefined;
  return { cursor: nextCursor, before: place.before + data.length, previous: place };
}

/** Goes back from a place to that of the page of a row. */
export function placeBack(from: ListPlace, row: number): ListPlace {
  let place = from;
  while (place.previous && place.before > row) place = place.previous;
  return place;
}
