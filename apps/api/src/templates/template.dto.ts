import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  CATEGORIES,
  type Category,
  COMPONENT_TYPES,
  MAX_CODE_MINUTES,
  MAX_NAME_LENGTH,
  TEMPLATE_NAME,
  type TemplateComponent,
} from '@signalbox/domain/templates/template';
import { checkTemplate } from '@signalbox/domain/templates/rules';
import {
  DECISIONS,
  type Decision,
  TEMPLATE_STATUSES,
  type TemplateStatus,
} from '@signalbox/domain/templates/status';
import type { Violation } from '@signalbox/domain/violation';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { NestedList } from '@signalbox/gateways/nested';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsString, Matches, ValidateIf } from 'class-validator';
import {
  FilledText,
  IsChatAccountId,
  MaxCodePoints,
  NotBlank,
  Nullable,
  Optional,
  splitList,
} from '../http/rules.ts';
import { PageQuery } from '../http/page-query.ts';
import { COMPONENTS, TemplateComponentRequest } from './template-component.dto.ts';

const MAX_LANGUAGES = 50;
const MAX_REASON_LENGTH = 1024;
/** `en`, `en_US`, `zh_Hant_TW`, `es_419`. */
const LANGUAGE = /^[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|\d{3}))?$/;
const DEFAULT_LANGUAGE = 'en';

/** Accepts a word in any case, and reads it in upper case. */
const UpperCase = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value));

const COMPONENT_SCHEMA = {
  type: 'array' as const,
  description:
    'Components of the template: at most one of each type, a BODY, and 64 KiB in all. The examples show the fields of each type.',
  items: {
    type: 'object' as const,
    required: ['type'],
    properties: { type: { type: 'string' as const, enum: [...COMPONENT_TYPES] } },
    additionalProperties: true,
  },
};

const CODE_MINUTES_TEXT = 'Minutes until the code expires, shown in the footer. AUTHENTICATION only.';

/** Optional fields of a template. */
class TemplateOptions {
  @ApiPropertyOptional({
    description: 'Allows the reviewer to approve the template in another category instead of rejecting it',
  })
  @Optional()
  @IsBoolean()
  allow_category_change?: boolean;
}

/** Templates to create, one in each language. */
export class CreateTemplateRequest extends TemplateOptions {
  @ApiProperty({
    example: 'order_update',
    maxLength: MAX_NAME_LENGTH,
    description: 'Name of the template: lowercase letters, digits and underscores',
  })
  @FilledText(MAX_NAME_LENGTH)
  @Matches(TEMPLATE_NAME, { message: 'must be lower-case letters, digits and underscores only' })
  name!: string;

  @ApiProperty({ enum: CATEGORIES, description: 'Category of the template, in any case' })
  @UpperCase()
  @IsIn(CATEGORIES)
  category!: Category;

  @ApiPropertyOptional({
    example: 'en_US',
    default: DEFAULT_LANGUAGE,
    description: 'Language code, or several separated by commas. Each language becomes a template.',
  })
  @Optional()
  @IsString()
  @NotBlank()
  language?: string;

  @ApiProperty({ description: 'Id of the chat account, as a number or as its digits', example: 100_001 })
  @IsChatAccountId()
  chatAccountId!: number;

  @ApiProperty(COMPONENT_SCHEMA)
  @NestedList(() => TemplateComponentRequest, { min: 1, max: COMPONENT_TYPES.length, ...COMPONENTS })
  components!: TemplateComponent[];

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_CODE_MINUTES, description: CODE_MINUTES_TEXT })
  @Optional()
  @IsIntBetween(1, MAX_CODE_MINUTES)
  code_expiration_minutes?: number;

  /** The codes in `language`. */
  languages: string[] = [];

  static check(request: CreateTemplateRequest, passed: Partial<CreateTemplateRequest>): Violation[] {
    const { language = DEFAULT_LANGUAGE } = passed;
    request.languages = splitList(language);
    return [...checkLanguages(request.languages), ...checkContent(passed)];
  }
}

/** Fields of a template to replace. Given components replace all of them. */
export class EditTemplateRequest extends TemplateOptions {
  @ApiProperty({ description: 'Id of the template' })
  @IsString()
  id!: string;

  @ApiPropertyOptional({ enum: CATEGORIES, description: 'Category of the template, in any case' })
  @Optional()
  @UpperCase()
  @IsIn(CATEGORIES)
  category?: Category;

  @ApiPropertyOptional(COMPONENT_SCHEMA)
  @Optional()
  @NestedList(() => TemplateComponentRequest, { min: 1, max: COMPONENT_TYPES.length, ...COMPONENTS })
  components?: TemplateComponent[];

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_CODE_MINUTES,
    description: `${CODE_MINUTES_TEXT} null removes it.`,
  })
  @Nullable()
  @IsIntBetween(1, MAX_CODE_MINUTES)
  code_expiration_minutes?: number | null;

  static check(request: EditTemplateRequest, passed: Partial<EditTemplateRequest>): Violation[] {
    const { category, components, allow_category_change, code_expiration_minutes } = request;
    const isEmpty = [category, components, allow_category_change, code_expiration_minutes].every(
      (field) => field === undefined,
    );
    if (isEmpty) return [{ field: 'body', rule: 'too_few_items', message: 'must name something to change' }];
    return checkContent(passed);
  }
}

/** Names a template. */
export class TemplateIdRequest {
  static readonly ignoresUnknown = true;

  @ApiProperty({ description: 'Id of the template' })
  @IsString()
  id!: string;
}

/** A reviewer's decision on a template. */
export class ReviewTemplateRequest extends TemplateIdRequest {
  @ApiProperty({ enum: DECISIONS, description: 'Decision of the reviewer' })
  @IsIn(DECISIONS)
  decision!: Decision;

  @ApiPropertyOptional({
    maxLength: MAX_REASON_LENGTH,
    description: 'Reason of the decision; required to reject',
  })
  @ValidateIf(({ decision }: ReviewTemplateRequest, value) => decision === 'reject' || value !== undefined)
  @FilledText(MAX_REASON_LENGTH)
  reason?: string;
}

/** Filters templates. */
export class TemplateListQuery extends PageQuery {
  static readonly ignoresUnknown = true;

  @ApiPropertyOptional({ type: Number, description: 'Templates of one chat account' })
  @Optional()
  @IsChatAccountId()
  chatAccountId?: number;

  @ApiPropertyOptional({
    enum: ['Pending', 'Approved', 'Rejected', 'Paused'],
    description: 'Status of the template, in any case',
  })
  @Optional()
  @UpperCase()
  @IsIn(TEMPLATE_STATUSES, { message: 'must be one of Pending, Approved, Rejected, Paused' })
  status?: TemplateStatus;

  @ApiPropertyOptional({ enum: CATEGORIES, description: 'Category of the template, in any case' })
  @Optional()
  @UpperCase()
  @IsIn(CATEGORIES)
  category?: Category;

  @ApiPropertyOptional({ description: 'Language code of the template' })
  @Optional()
  @IsString()
  @Matches(LANGUAGE, { message: 'must be a language code such as en, en_US or hi_IN' })
  language?: string;

  @ApiPropertyOptional({ description: 'Name of the template' })
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_NAME_LENGTH)
  @Matches(TEMPLATE_NAME, { message: 'must be lower-case letters, digits and underscores only' })
  name?: string;
}

/** Names a template, and a page of its history. */
export class TemplateHistoryQuery extends PageQuery {
  static readonly ignoresUnknown = true;

  @ApiProperty({ description: 'Id of the template' })
  @IsString()
  id!: string;
}

function checkLanguages(languages: string[]): Violation[] {
  const message = 'must be comma-separated language codes such as en, en_US or hi_IN';
  if (languages.length > MAX_LANGUAGES)
    return [{ field: 'language', rule: 'too_many_items', message: `must name at most ${MAX_LANGUAGES}` }];
  if (!languages.every((code) => LANGUAGE.test(code)))
    return [{ field: 'language', rule: 'invalid_format', message }];
  const isRepeated = new Set(languages).size < languages.length;
  return isRepeated
    ? [{ field: 'language', rule: 'duplicate_item', message: 'must not name the same language twice' }]
    : [];
}

/** Checks the rules that span components and options, when the components met their own rules. */
function checkContent({
  category,
  components,
  code_expiration_minutes: codeExpirationMinutes,
}: Partial<Omit<EditTemplateRequest, 'id'>>): Violation[] {
  if (components === undefined) return [];
  return checkTemplate({ category, components, codeExpirationMinutes: codeExpirationMinutes ?? undefined });
}
