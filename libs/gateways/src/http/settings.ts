import 'reflect-metadata';
import { IsBoolean, IsIn, IsInt, IsOptional, IsUrl, Matches, Max, MaxLength, Min } from 'class-validator';
import { AnswerSettings } from './answer-settings.ts';
import { CallbackSettings } from './callback-settings.ts';
import { PRESET_NAMES, type PresetName } from './preset-names.ts';
import { RequestSettings } from './request-settings.ts';
import { type DerivedField, IsDerivedFields, IsSettings, IsTextMap } from './rules.ts';

const NAME = { message: '$property must be at most 100 characters without spaces' };
const WORD = /^\S{1,100}$/;

/** Settings of a gateway that is called by HTTP: a preset with its parameters, or a request and its answers. */
export class HttpSettings {
  @IsOptional()
  @IsIn(PRESET_NAMES, { message: `preset must be one of ${PRESET_NAMES.join(', ')}` })
  preset?: PresetName;

  /** Origin of the vendor's API, and a path before that of the request; replaces that of the preset. */
  @IsOptional()
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false },
    { message: 'baseUrl must be an address such as https://xyz.api.infobip.com' },
  )
  @MaxLength(500)
  baseUrl?: string;

  @IsOptional()
  @Matches(WORD, NAME)
  accountSid?: string;

  @IsOptional()
  @Matches(WORD, NAME)
  messagingServiceSid?: string;

  @IsOptional()
  @Matches(WORD, NAME)
  apiKey?: string;

  @IsOptional()
  @Matches(WORD, NAME)
  authId?: string;

  @IsOptional()
  @Matches(WORD, NAME)
  username?: string;

  @IsOptional()
  @Matches(WORD, NAME)
  templateId?: string;

  /** Further placeholders of the templates. */
  @IsOptional()
  @IsTextMap('values by the name of the placeholder')
  parameters?: Record<string, string>;

  /** Permits loopback and private networks; link-local addresses stay forbidden. */
  @IsOptional()
  @IsBoolean({ message: 'allowPrivateNetwork must be true or false' })
  allowPrivateNetwork?: boolean;

  @IsOptional()
  @IsInt({ message: 'timeoutMs must be a whole number from 1000 to 60000' })
  @Min(1_000)
  @Max(60_000)
  timeoutMs?: number;

  /** Concurrent requests of one process. */
  @IsOptional()
  @IsInt({ message: 'concurrency must be a whole number from 1 to 200' })
  @Min(1)
  @Max(200)
  concurrency?: number;

  @IsSettings(() => RequestSettings, 'an object with method and url')
  request?: RequestSettings;

  /** Placeholders that are derived from others, by name. */
  @IsOptional()
  @IsDerivedFields()
  fields?: Record<string, DerivedField>;

  @IsSettings(() => AnswerSettings)
  answer?: AnswerSettings;

  @IsSettings(() => CallbackSettings)
  callback?: CallbackSettings;
}
