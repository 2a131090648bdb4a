import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_PARAM_LENGTH, MAX_TEXT_LENGTH } from '@signalbox/domain/chat/limits';
import { CHAT_KINDS, type ChatHeader, type ChatKind, type Interactive } from '@signalbox/domain/chat/message';
import { checkInteractive } from '@signalbox/domain/chat/interactive-rules';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { MAX_NAME_LENGTH, TEMPLATE_NAME } from '@signalbox/domain/templates/template';
import { MAX_PLACEHOLDERS } from '@signalbox/domain/templates/placeholders';
import type { Violation } from '@signalbox/domain/violation';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsString, Matches, ValidateIf, ValidateNested } from 'class-validator';
import { IsMsisdn, MaxCodePoints, NotBlank, OneLine, Optional } from '../http/rules.ts';
import { SendOptions } from '../sending/send-options.dto.ts';
import { settleTimes } from '../sending/send-times.ts';
import { INTERACTIVES, InteractiveRequest } from './interactive.dto.ts';
import { CaptionedLink, ChatHeaderRequest, DocumentLink } from './media-link.dto.ts';
import { checkLinks } from './media-links.ts';

/** Longer than any language code is. */
const MAX_LANGUAGE_LENGTH = 35;

/** A member of the messages of one kind; in others it is ignored. */
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
  @ValidateNested()
  @Type(() => BodyValues)
  body?: BodyValues;

  @Optional()
  @ValidateNested()
  @Type(() => ChatHeaderRequest)
  header?: ChatHeader;
}

class TemplateLanguage {
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_LANGUAGE_LENGTH)
  code!: string;
}

class TextBody {
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_TEXT_LENGTH)
  body!: string;
}

/** A chat-app message to one recipient; its type says which further members it has (spec 4.5). */
export class ChatMessageRequest extends SendOptions {
  @ApiProperty({
    example: '15550100001',
    description: 'A sender of one of your chat accounts, with its country code',
  })
  @IsString()
  @IsMsisdn()
  from!: string;

  @ApiProperty({ example: '919800000001', description: 'One number with its country code' })
  @IsString()
  @IsMsisdn()
  to!: string;

  @ApiProperty({
    enum: CHAT_KINDS,
    description: 'The member of this name is what the message says; for `template` it is `templateName`',
  })
  @IsIn(CHAT_KINDS)
  type!: ChatKind;

  @ApiPropertyOptional({ enum: ['individual'] })
  @Optional()
  @IsIn(['individual'])
  recipient_type?: string;

  @ApiPropertyOptional({
    example: 'order_update',
    maxLength: MAX_NAME_LENGTH,
    description: 'Of an approved template; needed with `template`',
  })
  @Of('template')
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_NAME_LENGTH)
  @Matches(TEMPLATE_NAME)
  templateName?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`code` picks one language; without it the oldest approved',
  })
  @Of('template')
  @Optional()
  @ValidateNested()
  @Type(() => TemplateLanguage)
  language?: TemplateLanguage;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'What fills the template: `body.params` in the order of its placeholders, and `header` when it shows a file or holds `{{1}}`',
  })
  @Of('template')
  @Optional()
  @ValidateNested()
  @Type(() => TemplateValues)
  components?: TemplateValues;

  @ApiPropertyOptional({
    example: '483920',
    description: 'The code of an AUTHENTICATION template: 4 to 15 letters or digits',
  })
  @Of('template')
  @Optional()
  @IsString()
  @Matches(/^[A-Za-z0-9]{4,15}$/, { message: 'must be 4 to 15 letters or digits' })
  otp?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Reply buttons, a list, or a request for a location, by its own `type`',
  })
  @Of('interactive')
  @ValidateNested()
  @Type(() => InteractiveRequest, INTERACTIVES)
  interactive?: Interactive;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`body`, at most 1,024 characters',
  })
  @Of('text')
  @ValidateNested()
  @Type(() => TextBody)
  text?: TextBody;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`link` to a JPEG or PNG, optional `caption`',
  })
  @Of('image')
  @ValidateNested()
  @Type(() => CaptionedLink)
  image?: CaptionedLink;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`link`, optional `caption`',
  })
  @Of('video')
  @ValidateNested()
  @Type(() => CaptionedLink)
  video?: CaptionedLink;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`link`, optional `filename`',
  })
  @Of('document')
  @ValidateNested()
  @Type(() => DocumentLink)
  document?: DocumentLink;

  /** `from` and `to` as digits. */
  sender = '';
  recipient = '';

  /** Reads the numbers and the times, and tells what is wrong with the fields together. */
  static settle(request: ChatMessageRequest): Violation[] {
    request.sender = digitsOf(request.from);
    request.recipient = digitsOf(request.to);
    const { interactive } = request;
    const broken =
      typeof interactive === 'object' && interactive !== null
        ? checkInteractive(interactive, 'interactive')
        : [];
    return [...broken, ...checkLinks(request), ...settleTimes(request)];
  }
}

function digitsOf(number: unknown): string {
  return (typeof number === 'string' ? parseMsisdn(number) : undefined) ?? '';
}
