import {
  MAX_CAPTION_LENGTH,
  MAX_FILE_NAME_BYTES,
  MAX_HEADER_FOOTER_LENGTH,
} from '@signalbox/domain/chat/limits';
import { FILE_KINDS } from '@signalbox/domain/media/file-kind';
import { isFileName } from '@signalbox/domain/media/file-name';
import { Nested } from '@signalbox/gateways/nested';
import { IsIn, IsString, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { FilledText, MaxCodePoints, Optional } from '../http/rules.ts';

const HEADER_TYPES = ['text', ...FILE_KINDS] as const;

const PROVIDER_NAME = /^[A-Za-z0-9][\w .-]{0,63}$/;

function IsFileName(): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && isFileName(value);
  const message = `must be a file name of at most ${MAX_FILE_NAME_BYTES} bytes, without folders and control characters`;
  return ValidateBy({ name: 'isFileName', validator: { validate } }, { message });
}

/** A member that headers of one type require, and headers of other types forbid. */
function MemberOf(type: string): PropertyDecorator {
  const isOther = (given: unknown, value: unknown): boolean =>
    value !== undefined && HEADER_TYPES.some((each) => each === given);
  const condition = ValidateIf(
    (header: ChatHeaderRequest, value) => header.type === type || isOther(header.type, value),
  );
  const validate = (_: unknown, args?: { object: object }): boolean =>
    (args?.object as ChatHeaderRequest | undefined)?.type === type;
  const rule = ValidateBy(
    { name: 'memberOf', validator: { validate } },
    { message: `must be absent unless the type is ${type}`, context: { rule: 'not_allowed_value' } },
  );
  return (target, property) => {
    condition(target, property);
    rule(target, property);
  };
}

/** Names settings, stored at the chat-app provider, for downloads that need a login. */
class MediaProvider {
  @IsString()
  @Matches(PROVIDER_NAME, {
    message: 'must be 1 to 64 letters, digits, spaces, dots, - and _, the first a letter or a digit',
  })
  name!: string;
}

/** A file that the chat-app provider fetches. media-links.ts checks its link. */
class MediaLink {
  @IsString()
  link!: string;

  @Optional()
  @Nested(() => MediaProvider)
  provider?: MediaProvider;
}

/** The file of an image or video message. */
export class CaptionedLink extends MediaLink {
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_CAPTION_LENGTH)
  caption?: string;
}

/** The file of a document message. A caption is ignored. */
export class DocumentLink extends MediaLink {
  @Optional()
  @IsString()
  @IsFileName()
  filename?: string;
}

class HeaderDocument extends MediaLink {
  @IsString()
  @IsFileName()
  filename!: string;
}

/** A text or a file above a message, in the member that its type names. */
export class ChatHeaderRequest {
  @IsIn(HEADER_TYPES)
  type!: string;

  @MemberOf('text')
  @FilledText(MAX_HEADER_FOOTER_LENGTH)
  text?: string;

  @MemberOf('image')
  @Nested(() => MediaLink)
  image?: MediaLink;

  @MemberOf('video')
  @Nested(() => MediaLink)
  video?: MediaLink;

  @MemberOf('document')
  @Nested(() => HeaderDocument)
  document?: HeaderDocument;
}
