import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { IsErrCodeMap, IsSettings, IsStatusList, IsTextList } from './rules.ts';

const SOURCE = 'must be a path such as messages[0].status, or a pattern between slashes';
const RESULTS = ['accepted', 'throttled', 'rejected', 'unconfirmed', 'down'] as const;

/** The answers that mean that the gateway took the message. */
export class SuccessSettings {
  /** HTTP statuses; by default 200 to 299. */
  @IsOptional()
  @IsStatusList()
  status?: number[];

  /** A value that must be there, too. */
  @IsOptional()
  @IsString({ message: `source ${SOURCE}` })
  @MaxLength(200)
  source?: string;

  /** The values that `source` may have; by default any. */
  @IsOptional()
  @IsTextList('values that mean success')
  equals?: string[];
}

/** The wait that an answer requests in its body; the header Retry-After is always read. */
export class RetryAfterSettings {
  @IsString({ message: `source ${SOURCE}` })
  @MaxLength(200)
  source!: string;

  @IsIn(['s', 'ms'], { message: 'unit must be s or ms' })
  unit!: 's' | 'ms';
}

/** The outcome of answers that have one of these statuses and match this pattern. */
export class OutcomeRule {
  @IsOptional()
  @IsStatusList()
  status?: number[];

  /** Pattern that the body matches, such as /try again/i. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  pattern?: string;

  @IsIn(RESULTS, { message: `result must be one of ${RESULTS.join(', ')}` })
  result!: (typeof RESULTS)[number];

  @IsOptional()
  @Matches(/^\d{3}$/, { message: 'errCode must have three digits' })
  errCode?: string;
}

/** The meaning of answers. */
export class AnswerSettings {
  @IsSettings(() => SuccessSettings)
  success?: SuccessSettings;

  /** Ids that the gateway gave the message. */
  @IsOptional()
  @IsString({ message: `id ${SOURCE}` })
  @MaxLength(200)
  id?: string;

  /** Keeps the ids, for gateways whose reports carry no id of ours. */
  @IsOptional()
  @IsBoolean({ message: 'keepsIds must be true or false' })
  keepsIds?: boolean;

  @IsOptional()
  @IsString({ message: `errorCode ${SOURCE}` })
  @MaxLength(200)
  errorCode?: string;

  @IsOptional()
  @IsString({ message: `description ${SOURCE}` })
  @MaxLength(200)
  description?: string;

  @IsSettings(() => RetryAfterSettings, 'an object with source and unit')
  retryAfter?: RetryAfterSettings;

  /** Checked in order before everything else. */
  @IsOptional()
  @IsArray({ message: 'rules must be a list' })
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => OutcomeRule)
  rules?: OutcomeRule[];

  /** Codes that ask to send slower. */
  @IsOptional()
  @IsTextList('codes of the gateway')
  throttled?: string[];

  /** Codes that ask to send slower from the sender of the message. */
  @IsOptional()
  @IsTextList('codes of the gateway')
  throttledSenders?: string[];

  /** Codes that ask to send slower from the sender of the message to its recipient. */
  @IsOptional()
  @IsTextList('codes of the gateway')
  throttledPairs?: string[];

  /** Codes of a fault of the gateway: tried three times, then failed with errCode 006. */
  @IsOptional()
  @IsTextList('codes of the gateway')
  temporary?: string[];

  /** Codes that concern the account: messages wait until an operator has changed it. */
  @IsOptional()
  @IsTextList('codes of the gateway')
  down?: string[];

  /** Codes that concern this gateway alone, so that another one may take the message. */
  @IsOptional()
  @IsTextList('codes of the gateway')
  tryOther?: string[];

  /** errCodes by the gateway's code; they win over those of the preset. */
  @IsOptional()
  @IsErrCodeMap()
  errors?: Record<string, string>;
}
