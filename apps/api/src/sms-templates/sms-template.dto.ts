import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LANES, type Lane } from '@signalbox/domain/lane';
import { checkTemplateText } from '@signalbox/domain/sms/template';
import type { Violation } from '@signalbox/domain/violation';
import { IsIn, IsString, Matches } from 'class-validator';
import { IsSmsSender, MaxCodePoints, NotBlank, Nullable, Optional } from '../http/rules.ts';

/** As much as ten parts of GSM-7, and its placeholders. */
const MAX_TEXT = 2_000;

const NAME = { example: 'order-shipped', description: 'Unique in the account' };
const TEXT = {
  example: 'Hi {{1}}, your order {{2}} has shipped: {{shortUrl}}',
  description:
    'Values as {{1}}, {{2}} and so on in order, or each as {#var#}; short links as {{shortUrl}} or {{shortUrl1}}, {{shortUrl2}}',
};

/** What a template may have. */
class SmsTemplateOptions {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'SIGNALBX',
    description: 'For sends that name no sender',
  })
  @Nullable()
  @IsString()
  @IsSmsSender()
  sender?: string | null;

  @ApiPropertyOptional({
    enum: LANES,
    nullable: true,
    description: 'The only type to send it with; any unless told',
  })
  @Nullable()
  @IsIn(LANES)
  type?: Lane | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '1101234567890123456',
    description: "The sender's id in India's DLT",
  })
  @Nullable()
  @IsString()
  @Matches(/^[0-9A-Za-z_-]{1,64}$/)
  dltEntityId?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '1107234567890123456',
    description: "The template's id in India's DLT",
  })
  @Nullable()
  @IsString()
  @Matches(/^[0-9A-Za-z_-]{1,64}$/)
  dltTemplateId?: string | null;
}

/** An SMS template to create. */
export class SmsTemplateRequest extends SmsTemplateOptions {
  @ApiProperty(NAME)
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  @ApiProperty(TEXT)
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_TEXT)
  text!: string;

  static settle({ text }: SmsTemplateRequest): Violation[] {
    return typeof text === 'string' ? checkTemplateText(text) : [];
  }
}

/** What may be changed of a template; what is left out stays as it is. */
export class SmsTemplateChangeRequest extends SmsTemplateOptions {
  @ApiPropertyOptional(NAME)
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name?: string;

  @ApiPropertyOptional(TEXT)
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_TEXT)
  text?: string;

  static settle({ text }: SmsTemplateChangeRequest): Violation[] {
    return typeof text === 'string' ? checkTemplateText(text) : [];
  }
}
