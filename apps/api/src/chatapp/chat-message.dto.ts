import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_PARAM_LENGTH, MAX_TEXT_LENGTH } from '@signalbox/domain/chat/limits';
import { CHAT_KINDS, type ChatHeader, type ChatKind, type Interactive } from '@signalbox/domain/chat/message';
import { checkInteractive } from '@signalbox/domain/chat/interactive-rules';
import { isUserId } from '@signalbox/domain/chat/user-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { MAX_NAME_LENGTH, TEMPLATE_NAME } from '@signalbox/domain/templates/template';
import { MAX_PLACEHOLDERS } from '@signalbox/domain/templates/placeholders';
import type { Violation } from '@signalbox/domain/violation';
import { Nested } from '@signalbox/gateways/nested';
import { ArrayMaxSize, IsArray, IsIn, IsString, Matches, ValidateIf } from 'class-validator';
import { FilledText, IsChatRecipient, IsMsisdn, MaxCodePoints, OneLine, Optional } from '../http/rules.ts';
import { SendOptions } from '../sending/send-options.dto.ts';
import { readTimes } from '../sending/send-times.ts';
import { INTERACTIVES, InteractiveRequest } from './interactive.dto.ts';
import { CaptionedLink, ChatHeaderRequest, DocumentLink } from './media-link.dto.ts';
import { checkLinks } from './media-links.ts';

/** More than the longest language code has. */
const MAX_LANGUAGE_LENGTH = 35;

const MAX_MESSAGE_ID_LENGTH = 42;

/** A member of messages of one kind; other kinds ignore it. */
const Of = (kind: ChatKind): PropertyDecorator => ValidateIf(({ type }: ChatMessageRequest) => type === kind);

class BodyValues {
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_PLACEHOLDERS)
  @IsString({ each: true })
  @MaxCodePoints(MAX_PARAM_LENGTH, { each: true })
  @OneLine({ each: true })
  params?: string[];
}

class TemplateValues {
  @Optional()
  @Nested(() => BodyValues)
  body?: BodyValues;

  @Optional()
  @Nested(() => ChatHeaderRequest)
  header?: ChatHeader;
}

class TemplateLanguage {
  @FilledText(MAX_LANGUAGE_LENGTH)
  code!: string;
}

class TextBody {
  @FilledText(MAX_TEXT_LENGTH)
  body!: string;
}

class RepliedMessage {
  @FilledText(MAX_MESSAGE_ID_LENGTH)
  messageId!: string;
}

/** A chat-app message to one recipient. Its `type` names the member that holds the content. */
export class ChatMessageRequest extends SendOptions {
  @ApiProperty({
    example: '15550100001',
    description: 'Sender of one of your chat accounts, with country code',
  })
  @IsString()
  @IsMsisdn()
  from!: string;

  @ApiProperty({
    example: '919800000001',
    description:
      'Phone number of the recipient, with country code; or the `userId` of a person who wrote without showing a number',
  })
  @IsString()
  @IsChatRecipient()
  to!: string;

  @ApiProperty({
    enum: CHAT_KINDS,
    description:
      'Kind of the message. The member of this name holds the content; a template is named by `templateName`.',
  })
  @IsIn(CHAT_KINDS)
  type!: ChatKind;

  @ApiPropertyOptional({ enum: ['individual'], description: 'Kind of the recipient' })
  @Optional()
  @IsIn(['individual'])
  recipient_type?: string;

  @ApiPropertyOptional({
    example: 'order_update',
    maxLength: MAX_NAME_LENGTH,
    description: 'Name of an approved template; required for the type `template`',
  })
  @Of('template')
  @FilledText(MAX_NAME_LENGTH)
  @Matches(TEMPLATE_NAME, { message: 'must be lower-case letters, digits and underscores only' })
  templateName?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`code` selects the language; by default the oldest approved one',
  })
  @Of('template')
  @Optional()
  @Nested(() => TemplateLanguage)
  language?: TemplateLanguage;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'Values of the template: `body.params` in the order of its placeholders, and `header` when the header is a file or holds `{{1}}`',
  })
  @Of('template')
  @Optional()
  @Nested(() => TemplateValues)
  components?: TemplateValues;

  @ApiPropertyOptional({
    example: '483920',
    description: 'Code of an AUTHENTICATION template: 4 to 15 letters or digits',
  })
  @Of('template')
  @Optional()
  @IsString()
  @Matches(/^[A-Za-z0-9]{4,15}$/, { message: 'must be 4 to 15 letters or digits' })
  otp?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Reply buttons, a list, or a location request, selected by its own `type`',
  })
  @Of('interactive')
  @Nested(() => InteractiveRequest, INTERACTIVES)
  interactive?: Interactive;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`body` of at most 1,024 characters',
  })
  @Of('text')
  @Nested(() => TextBody)
  text?: TextBody;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`link` to a JPEG or PNG, and an optional `caption`',
  })
  @Of('image')
  @Nested(() => CaptionedLink)
  image?: CaptionedLink;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`link` to a video, and an optional `caption`',
  })
  @Of('video')
  @Nested(() => CaptionedLink)
  video?: CaptionedLink;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`link` to a document, and an optional `filename`',
  })
  @Of('document')
  @Nested(() => DocumentLink)
  document?: DocumentLink;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`messageId` of the message of this conversation that the message replies to',
  })
  @Optional()
  @Nested(() => RepliedMessage)
  context?: RepliedMessage;

  /** `from` as digits, and `to` as digits or a user id. */
  sender = '';
  recipient = '';

  static check(request: ChatMessageRequest, passed: Partial<ChatMessageRequest>): Violation[] {
    const { components, interactive } = passed;
    request.sender = digitsOf(passed.from);
    request.recipient = passed.to !== undefined && isUserId(passed.to) ? passed.to : digitsOf(passed.to);
    return [
      ...(interactive ? checkInteractive(interactive, 'interactive') : []),
      ...checkLinks(passed, ''),
      ...checkLinks(components?.header, 'components.header.'),
      ...checkLinks(interactive?.header, 'interactive.header.'),
      ...readTimes(request),
    ];
  }
}

function digitsOf(number: string | undefined): string {
  return (number === undefined ? undefined : parseMsisdn(number)) ?? '';
}
