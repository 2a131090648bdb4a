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
import { Nested, NestedList, classByType } from '@signalbox/gateways/nested';
import { IsIn, IsString, Matches } from 'class-validator';
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
  @Nested(() => ChatHeaderRequest)
  header?: ChatHeaderRequest;

  @Nested(() => InteractiveBody)
  body!: InteractiveBody;

  @Optional()
  @Nested(() => InteractiveFooter)
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

  @Nested(() => Reply)
  reply!: Reply;
}

class ButtonAction {
  @NestedList(() => ReplyButton, { min: 1, max: MAX_REPLY_BUTTONS })
  buttons!: ReplyButton[];
}

class ButtonMessage extends InteractiveRequest {
  @Nested(() => ButtonAction)
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

  @NestedList(() => ListRow, { min: 1, max: MAX_ROWS })
  rows!: ListRow[];
}

class ListAction {
  @FilledText(MAX_LIST_BUTTON)
  button!: string;

  @NestedList(() => ListSection, { min: 1, max: MAX_SECTIONS })
  sections!: ListSection[];
}

class ListMessage extends InteractiveRequest {
  @Nested(() => ListAction)
  action!: ListAction;
}

class LocationAction {
  @FilledText(MAX_REPLY_ID)
  name!: string;
}

class LocationRequest extends InteractiveRequest {
  @Nested(() => LocationAction)
  action!: LocationAction;
}

/** Selects the class of an interactive message by its type. */
export const INTERACTIVES = classByType({
  button: ButtonMessage,
  list: ListMessage,
  location_request_message: LocationRequest,
});
