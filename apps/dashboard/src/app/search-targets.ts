/** A page that a search leads to. */
export interface Target {
  /** Path within the dashboard, with its query. */
  path: string;
  label: string;
  detail?: string;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MESSAGE_ID = new RegExp(`^${UUID}:[1-9]\\d*$`);
const NUMBER = /^[1-9]\d{6,14}$/;

/** Returns the page that a pasted number or message id names by its form alone. */
export function targetsOf(text: string): Target[] {
  const query = text.trim().toLowerCase();
  if (MESSAGE_ID.test(query))
    return [{ path: `/messages/${query}`, label: 'Open this message', detail: query }];
  const digits = query.replace(/^(\+|00)/, '').replace(/[\s().-]/g, '');
  if (NUMBER.test(digits)) return [{ path: `/messages?recipient=${digits}`, label: `Messages to ${digits}` }];
  return [];
}
