import {
  MAX_LIST_BUTTON,
  MAX_REPLY_BUTTONS,
  MAX_REPLY_ID,
  MAX_REPLY_TITLE,
  MAX_ROWS,
  MAX_ROW_DESCRIPTION,
  MAX_ROW_TITLE,
  MAX_SECTIONS,
  MAX_TEXT_LENGTH,
  MAX_HEADER_FOOTER_LENGTH,
} from '@signalbox/domain/chat/limits';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsString,
  Matches,
  ValidateNested,
} from 'class-validator';
import { FilledText, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';
import { ChatHeaderRequest } from './media-link.dto.ts';

class InteractiveBody {
  @FilledText(MAX_TEXT_LENGTH)
  text!: string;
}

class InteractiveFooter {
  @FilledText(MAX_HEADER_FOOTER_LENGTH)
  text!: string;
}

/** Fields of every interactive message. A message of an unknown type has no others. */
export class InteractiveRequest {
  @IsIn(['button', 'list', 'location_request_message'])
  type!: string;

  @Optional()
  @ValidateNested()
  @Type(() => ChatHeaderRequest)
  header?: ChatHeaderRequest;

  @ValidateNested()
  @Type(() => InteractiveBody)
  body!: InteractiveBody;

  @Optional()
  @ValidateNested()
  @Type(() => InteractiveFooter)
  footer?: InteractiveFooter;
}

class Reply {
  @IsString()
  @NotBlank()
  @Matches(/^\S(.*\S)?$/s, { message: 'must not begin or end with a space' })
  @MaxCodePoints(MAX_REPLY_ID)
  id!: string;

  @FilledText(MAX_REPLY_TITLE)
  title!: string;
}

class ReplyButton {
  @IsIn(['reply'])
  type!: string;

  @ValidateNested()
  @Type(() => Reply)
  reply!: Reply;
}

class ButtonAction {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_REPLY_BUTTONS)
  @ValidateNested({ each: true })
  @Type(() => ReplyButton)
  buttons!: ReplyButton[];
}

class ButtonMessage extends InteractiveRequest {
  @ValidateNested()
  @Type(() => ButtonAction)
  action!: ButtonAction;
}

class ListRow {
  @FilledText(MAX_REPLY_ID)
  id!: string;

  @FilledText(MAX_ROW_TITLE)
  title!: string;

  @Optional()
  @IsString()
  @MaxCodePoints(MAX_ROW_DESCRIPTION)
  description?: string;
}

class ListSection {
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_ROW_TITLE)
  title?: string;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ROWS)
  @ValidateNested({ each: true })
  @Type(() => ListRow)
  rows!: ListRow[];
}

class ListAction {
  @FilledText(MAX_LIST_BUTTON)
  button!: string;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_SECTIONS)
  @ValidateNested({ each: true })
  @Type(() => ListSection)
  sections!: ListSection[];
}

class ListMessage extends InteractiveRequest {
  @ValidateNested()
  @Type(() => ListAction)
  action!: ListAction;
}

class LocationAction {
  @FilledText(MAX_REPLY_ID)
  name!: string;
}

class LocationRequest extends InteractiveRequest {
  @ValidateNested()
  @Type(() => LocationAction)
  action!: LocationAction;
}

/** Selects the class of an interactive message by its type. */
export const INTERACTIVES = {
  discriminator: {
    property: 'type',
    subTypes: [
      { name: 'button', value: ButtonMessage },
      { name: 'list', value: ListMessage },
      { name: 'location_request_message', value: LocationRequest },
    ],
  },
};
