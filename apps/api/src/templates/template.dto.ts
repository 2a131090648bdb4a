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
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsChatAccountId, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';
import { PageQuery } from '../http/page-query.ts';
import { COMPONENTS, TemplateComponentRequest } from './template-component.dto.ts';

const MAX_LANGUAGES = 50;
const MAX_REASON_LENGTH = 1024;
/** `en`, `en_US`, `zh_Hant_TW`, `es_419`. */
const LANGUAGE = /^[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|\d{3}))?$/;
const DEFAULT_LANGUAGE = 'en';

/** Words that are written in any case, and kept in upper case. */
const UpperCase = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value));

const COMPONENT_SCHEMA = {
  type: 'array' as const,
  description: 'At most one of each type; a BODY is needed. The examples show what each type has.',
  items: {
    type: 'object' as const,
    required: ['type'],
    properties: { type: { type: 'string' as const, enum: [...COMPONENT_TYPES] } },
  },
};

/** What a template may have besides what it must have (spec 2.1). */
class TemplateOptions {
  @ApiPropertyOptional({
    description: 'A reviewer may approve it in another category instead of rejecting it',
  })
  @Optional()
  @IsBoolean()
  allow_category_change?: boolean;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: MAX_CODE_MINUTES,
    description: 'AUTHENTICATION only: adds a footer that says when the code expires',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_CODE_MINUTES)
  code_expiration_minutes?: number;
}

/** Templates to create, one in each language (spec 4.2). */
export class CreateTemplateRequest extends TemplateOptions {
  @ApiProperty({
    example: 'order_update',
    maxLength: MAX_NAME_LENGTH,
    description: 'Lowercase letters, digits and underscores',
  })
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_NAME_LENGTH)
  @Matches(TEMPLATE_NAME)
  name!: string;

  @ApiProperty({ enum: CATEGORIES, description: 'In any case' })
  @UpperCase()
  @IsIn(CATEGORIES)
  category!: Category;

  @ApiPropertyOptional({
    example: 'en_US',
    default: DEFAULT_LANGUAGE,
    description: 'One, or several with commas between them: one template is made of each',
  })
  @Optional()
  @IsString()
  @NotBlank()
  language?: string;

  @ApiProperty({ description: 'A number, or its digits', example: 100_001 })
  @IsChatAccountId()
  chatAccountId!: number;

  @ApiProperty(COMPONENT_SCHEMA)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(COMPONENT_TYPES.length)
  @ValidateNested({ each: true })
  @Type(() => TemplateComponentRequest, COMPONENTS)
  components!: TemplateComponent[];

  /** Worked out of `language`. */
  languages: string[] = [];

  static settle(request: CreateTemplateRequest): Violation[] {
    const { language = DEFAULT_LANGUAGE } = request;
    request.languages = typeof language === 'string' ? language.split(',').map((code) => code.trim()) : [];
    return [...checkLanguages(request.languages), ...brokenRules(request)];
  }
}

/** What to change of a template; the components are replaced as a whole. */
export class EditTemplateRequest extends TemplateOptions {
  @ApiProperty({ description: "The template's id" })
  @IsString()
  id!: string;

  @ApiPropertyOptional({ enum: CATEGORIES, description: 'In any case' })
  @Optional()
  @UpperCase()
  @IsIn(CATEGORIES)
  category?: Category;

  @ApiPropertyOptional(COMPONENT_SCHEMA)
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(COMPONENT_TYPES.length)
  @ValidateNested({ each: true })
  @Type(() => TemplateComponentRequest, COMPONENTS)
  components?: TemplateComponent[];

  static settle(request: EditTemplateRequest): Violation[] {
    const { category, components, allow_category_change, code_expiration_minutes } = request;
    const isEmpty = [category, components, allow_category_change, code_expiration_minutes].every(
      (field) => field === undefined,
    );
    if (isEmpty) return [{ field: 'body', rule: 'too_few_items', message: 'must name something to change' }];
    return components === undefined ? [] : brokenRules(request);
  }
}

/** One template. */
export class TemplateIdRequest {
  @ApiProperty({ description: "The template's id" })
  @IsString()
  id!: string;
}

/** A reviewer's word on a template. */
export class ReviewTemplateRequest extends TemplateIdRequest {
  @ApiProperty({ enum: DECISIONS })
  @IsIn(DECISIONS)
  decision!: Decision;

  @ApiPropertyOptional({ maxLength: MAX_REASON_LENGTH, description: 'Needed to reject' })
  @ValidateIf(({ decision }: ReviewTemplateRequest, value) => decision === 'reject' || value !== undefined)
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_REASON_LENGTH)
  reason?: string;
}

/** Which templates to list. */
export class TemplateListQuery extends PageQuery {
  @ApiPropertyOptional({ type: Number })
  @Optional()
  @IsChatAccountId()
  chatAccountId?: number;

  @ApiPropertyOptional({ enum: ['Pending', 'Approved', 'Rejected', 'Paused'] })
  @Optional()
  @UpperCase()
  @IsIn(TEMPLATE_STATUSES, { message: 'must be one of Pending, Approved, Rejected, Paused' })
  status?: TemplateStatus;

  @ApiPropertyOptional({ enum: CATEGORIES })
  @Optional()
  @UpperCase()
  @IsIn(CATEGORIES)
  category?: Category;

  @ApiPropertyOptional()
  @Optional()
  @IsString()
  @Matches(LANGUAGE)
  language?: string;

  @ApiPropertyOptional()
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_NAME_LENGTH)
  @Matches(TEMPLATE_NAME)
  name?: string;
}

/** A page of the history of one template. */
export class TemplateHistoryQuery extends PageQuery {
  @ApiProperty({ description: "The template's id" })
  @IsString()
  id!: string;
}

function checkLanguages(languages: string[]): Violation[] {
  const message = 'must be language codes such as en, en_US or hi_IN, with commas between them';
  if (languages.length > MAX_LANGUAGES)
    return [{ field: 'language', rule: 'too_many_items', message: `must name at most ${MAX_LANGUAGES}` }];
  if (!languages.every((code) => LANGUAGE.test(code)))
    return [{ field: 'language', rule: 'invalid_format', message }];
  const isRepeated = new Set(languages).size < languages.length;
  return isRepeated
    ? [{ field: 'language', rule: 'duplicate_item', message: 'must not name the same language twice' }]
    : [];
}

/** What the fields of a request break together, as far as they are of their types. */
function brokenRules({
  category,
  components,
  code_expiration_minutes,
}: Partial<CreateTemplateRequest>): Violation[] {
  const known = CATEGORIES.find((each) => each === category);
  const minutes = typeof code_expiration_minutes === 'number' ? code_expiration_minutes : undefined;
  return checkTemplate({
    category: known,
    components: Array.isArray(components) ? components : [],
    codeExpirationMinutes: minutes,
  });
}
