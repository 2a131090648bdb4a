import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SMS_LANES, type SmsLane } from '@signalbox/domain/lane';
import { checkLinkType, checkTemplateText } from '@signalbox/domain/sms/template';
import type { Violation } from '@signalbox/domain/violation';
import { IsIn, IsString, Matches } from 'class-validator';
import { FilledText, IsSmsSender, Nullable, Optional } from '../http/rules.ts';

const NOT_A_DLT_ID = 'must be 1 to 64 letters, digits, - or _';

/** Maximum code points: ten parts of GSM-7, and their placeholders. */
const MAX_TEXT = 2_000;

const NAME = { example: 'order-shipped', description: 'Name, unique in the account.' };
const TEXT = {
  example: 'Hi {{1}}, your order {{2}} has shipped: {{shortUrl}}',
  description:
    'Text with variables: `{{1}}`, `{{2}}` and so on in order, or each as `{#var#}`. Short links are `{{shortUrl}}`, or `{{shortUrl1}}`, `{{shortUrl2}}` and so on.',
};

/** Optional settings of a template. */
class SmsTemplateOptions {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'SIGNALBX',
    description: 'Sender of sends that name none.',
  })
  @Nullable()
  @IsString()
  @IsSmsSender()
  sender?: string | null;

  @ApiPropertyOptional({
    enum: SMS_LANES,
    nullable: true,
    description: 'The only type that may be sent with the template. By default any.',
  })
  @Nullable()
  @IsIn(SMS_LANES)
  type?: SmsLane | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '1101234567890123456',
    description: "Entity id of the sender in India's DLT registry.",
  })
  @Nullable()
  @IsString()
  @Matches(/^[0-9A-Za-z_-]{1,64}$/, { message: NOT_A_DLT_ID })
  dltEntityId?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '1107234567890123456',
    description: "Id of the template in India's DLT registry.",
  })
  @Nullable()
  @IsString()
  @Matches(/^[0-9A-Za-z_-]{1,64}$/, { message: NOT_A_DLT_ID })
  dltTemplateId?: string | null;
}

/** A new SMS template. */
export class SmsTemplateRequest extends SmsTemplateOptions {
  @ApiProperty(NAME)
  @FilledText(100)
  name!: string;

  @ApiProperty(TEXT)
  @FilledText(MAX_TEXT)
  text!: string;

  static check({ text, type }: SmsTemplateRequest): Violation[] {
    return typeof text === 'string' ? [...checkTemplateText(text), ...checkLinkType(text, type ?? null)] : [];
  }
}

/** A change of a template; omitted fields keep their values. */
export class SmsTemplateChangeRequest extends SmsTemplateOptions {
  @ApiPropertyOptional(NAME)
  @Optional()
  @FilledText(100)
  name?: string;

  @ApiPropertyOptional(TEXT)
  @Optional()
  @FilledText(MAX_TEXT)
  text?: string;

  static check({ text }: SmsTemplateChangeRequest): Violation[] {
    return typeof text === 'string' ? checkTemplateText(text) : [];
  }
}
