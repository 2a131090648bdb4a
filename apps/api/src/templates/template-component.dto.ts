import {
  BUTTON_TYPES,
  CARD_BUTTON_TYPES,
  COMPONENT_TYPES,
  HEADER_FORMATS,
  MAX_BODY_LENGTH,
  MAX_BUTTONS,
  MAX_BUTTON_LENGTH,
  MAX_CARDS,
  MAX_CARD_BUTTONS,
  MAX_FOOTER_LENGTH,
  MAX_HEADER_LENGTH,
  MEDIA_KINDS,
  OTP_TYPES,
} from '@signalbox/domain/templates/template';
import { MAX_PLACEHOLDERS } from '@signalbox/domain/templates/placeholders';
import { Nested, NestedList, classByType } from '@signalbox/gateways/nested';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, ValidateIf } from 'class-validator';
import { FilledText, IsMsisdn, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';

const MAX_ID_LENGTH = 255;

const isMedia = ({ format }: HeaderComponent): boolean => MEDIA_KINDS.some((kind) => kind === format);

/** Fields of every button. A button of an unknown type has no others. */
class TemplateButton {
  @IsIn(BUTTON_TYPES)
  type!: string;
}

class TextButton extends TemplateButton {
  @FilledText(MAX_BUTTON_LENGTH)
  text!: string;
}

class PhoneButton extends TextButton {
  @IsString()
  @IsMsisdn()
  phone_number!: string;
}

class UrlButton extends TextButton {
  @IsString()
  url!: string;
}

class FlowButton extends TextButton {
  @FilledText(MAX_ID_LENGTH)
  flow_id!: string;
}

/** A button whose text is that of the chat app by default. */
class CatalogItemButton extends TemplateButton {
  @Optional()
  @FilledText(MAX_BUTTON_LENGTH)
  text?: string;
}

class OtpButton extends CatalogItemButton {
  @IsIn(OTP_TYPES)
  otp_type!: string;
}

const BUTTONS = classByType({
  PHONE_NUMBER: PhoneButton,
  URL: UrlButton,
  OTP: OtpButton,
  CATALOG: TextButton,
  CATALOG_ITEM: CatalogItemButton,
  FLOW: FlowButton,
  ORDER_DETAILS: TextButton,
});

/** A button of a card. */
class CardButton {
  @IsIn(CARD_BUTTON_TYPES)
  type!: string;

  @FilledText(MAX_BUTTON_LENGTH)
  text!: string;

  @ValidateIf(({ type }: CardButton) => type === 'URL')
  @IsString()
  url?: string;

  @ValidateIf(({ type }: CardButton) => type === 'PHONE_NUMBER')
  @IsString()
  @IsMsisdn()
  phone_number?: string;
}

class CardHeader {
  @IsIn(['IMAGE'])
  type!: string;

  @IsString()
  image_url!: string;
}

class TemplateCard {
  @Nested(() => CardHeader)
  header!: CardHeader;

  @FilledText(MAX_BODY_LENGTH)
  body!: string;

  @Optional()
  @FilledText(MAX_FOOTER_LENGTH)
  footer?: string;

  @Optional()
  @NestedList(() => CardButton, { max: MAX_CARD_BUTTONS })
  buttons?: CardButton[];
}

/** Fields of every component. A component of an unknown type has no others. */
export class TemplateComponentRequest {
  @IsIn(COMPONENT_TYPES)
  type!: string;
}

class HeaderExample {
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1)
  @IsString({ each: true })
  @NotBlank({ each: true })
  @MaxCodePoints(MAX_ID_LENGTH, { each: true })
  header_handle?: string[];

  @Optional()
  @IsArray()
  @ArrayMaxSize(1)
  @IsString({ each: true })
  @MaxCodePoints(MAX_HEADER_LENGTH, { each: true })
  header_text?: string[];
}

class HeaderComponent extends TemplateComponentRequest {
  @IsIn(HEADER_FORMATS)
  format!: string;

  @ValidateIf(({ format }: HeaderComponent) => format === 'TEXT')
  @FilledText(MAX_HEADER_LENGTH)
  text?: string;

  @ValidateIf((header: HeaderComponent, value) => isMedia(header) || value !== undefined)
  @Nested(() => HeaderExample)
  example?: HeaderExample;
}

class BodyExample {
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1)
  @IsArray({ each: true })
  body_text?: string[][];
}

class BodyComponent extends TemplateComponentRequest {
  @FilledText(MAX_BODY_LENGTH)
  text!: string;

  @Optional()
  @Nested(() => BodyExample)
  example?: BodyExample;

  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_PLACEHOLDERS)
  @IsString({ each: true })
  @MaxCodePoints(MAX_BODY_LENGTH, { each: true })
  body_params?: string[];
}

class FooterComponent extends TemplateComponentRequest {
  @FilledText(MAX_FOOTER_LENGTH)
  text!: string;
}

class ButtonsComponent extends TemplateComponentRequest {
  @NestedList(() => TemplateButton, { min: 1, max: MAX_BUTTONS, ...BUTTONS })
  buttons!: TemplateButton[];
}

class CarouselComponent extends TemplateComponentRequest {
  @NestedList(() => TemplateCard, { min: 1, max: MAX_CARDS })
  cards!: TemplateCard[];
}

/** Selects the class of a component by its type. */
export const COMPONENTS = classByType({
  HEADER: HeaderComponent,
  BODY: BodyComponent,
  FOOTER: FooterComponent,
  BUTTONS: ButtonsComponent,
  CAROUSEL: CarouselComponent,
});
