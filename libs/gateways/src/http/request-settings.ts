import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsJson, IsSettings, IsTextMap } from './rules.ts';

const PLACES = ['basic', 'header', 'query', 'body'] as const;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** One credential of a request. Only its `value` may name `{token}`. */
export class AuthSettings {
  @IsIn(PLACES, { message: `type must be one of ${PLACES.join(', ')}` })
  type!: (typeof PLACES)[number];

  /** Name of the user, for `basic`; a template. */
  @ValidateIf(({ type }: AuthSettings) => type === 'basic')
  @IsString({ message: 'user must be the name of the user when type is basic' })
  @MaxLength(2_000)
  user?: string;

  /** Name of the header, parameter or field; not for `basic`. */
  @ValidateIf(({ type }: AuthSettings) => type !== 'basic')
  @Matches(HEADER_NAME, { message: 'name must be the name of the header, parameter or field' })
  name?: string;

  /** Template of the credential; `{token}` by default. */
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  value?: string;
}

/** The body of a request. */
export class BodySettings {
  @IsIn(['form', 'json'], { message: 'type must be form or json' })
  type!: 'form' | 'json';

  /** Fields of the form, or the JSON value; texts in it are templates. */
  @IsJson()
  fields!: Record<string, unknown>;
}

/** The request that submits one message. */
export class RequestSettings {
  @IsIn(['GET', 'POST'], { message: 'method must be GET or POST' })
  method!: 'GET' | 'POST';

  /** Template of the address. Its origin names no field of a message. */
  @IsString({ message: 'url must be an address such as {baseUrl}/send or https://sms.example.com/send' })
  @MaxLength(2_000)
  url!: string;

  @IsOptional()
  @IsTextMap('templates by the name of the parameter')
  query?: Record<string, string>;

  @IsOptional()
  @IsTextMap('templates by the name of the header')
  headers?: Record<string, string>;

  @IsSettings(() => BodySettings, 'an object with type and fields')
  body?: BodySettings;

  @IsOptional()
  @IsArray({ message: 'auth must be a list' })
  @ArrayMaxSize(5)
  @ValidateNested({ each: true })
  @Type(() => AuthSettings)
  auth?: AuthSettings[];

  /** Template of what follows `?` in {reportUrl}, such as `status=%d`; values are escaped for a URL. */
  @IsOptional()
  @IsString()
  @MaxLength(500)
  reportQuery?: string;
}
