/** Limits of chat-app messages, in characters and items. */
export const MAX_TEXT_LENGTH = 1024;
export const MAX_CAPTION_LENGTH = 1024;
export const MAX_PARAM_LENGTH = 1024;
/** Characters of a header, and of a footer. */
export const MAX_HEADER_FOOTER_LENGTH = 60;
export const MAX_REPLY_BUTTONS = 3;
export const MAX_REPLY_TITLE = 20;
export const MAX_REPLY_ID = 256;
export const MAX_LIST_BUTTON = 20;
export const MAX_SECTIONS = 10;
/** Rows of all sections together. */
export const MAX_ROWS = 10;
export const MAX_ROW_TITLE = 24;
export const MAX_ROW_DESCRIPTION = 72;
export const MAX_FILE_NAME_BYTES = 240;

const SESSION_MS = 24 * 3_600_000;

/**
 * End of a session: until then, messages other than templates may be sent to a recipient whose last message
 * arrived at `lastInboundAt`.
 */
export function sessionEnd(lastInboundAt: Date): Date {
  return new Date(lastInboundAt.getTime() + SESSION_MS);
}
