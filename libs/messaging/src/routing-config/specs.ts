import 'reflect-metadata';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { ROUTED_TYPES, type RoutedType } from '@signalbox/domain/routing/route';
import { DistinctTexts, DistinctWords } from '@signalbox/gateways/distinct-texts';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';

/*
 * Gateways and routes as the API and GATEWAYS_FILE give them. Both check them by these classes; the rules that need other
 * rows are in routing-store.ts.
 */

const MAX_LISTED = 200;
const MAX_GATEWAYS_OF_ROUTE = 20;
const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The field may be absent; null counts as absent. */
function Optional(): PropertyDecorator {
  const isOptional = IsOptional();
  const dropNull = Transform(({ value }: { value: unknown }) => value ?? undefined);
  return (target, name) => {
    dropNull(target, name);
    isOptional(target, name);
  };
}

/** Names of gateways. */
export const GATEWAY_NAME = /^[a-z][a-z0-9-]{1,38}$/;

/** The settings of a gateway that may change. */
export class GatewaySettings {
  @Optional()
  @IsObject()
  settings?: Record<string, unknown>;

  /** Credentials by name; null removes one. */
  @Optional()
  @IsObject()
  secrets?: Record<string, string | null>;

  @IsOptional()
  @IsIntBetween(1, 100_000)
  ratePerSecond?: number | null;

  @Optional()
  @IsBoolean()
  enabled?: boolean;
}

/** A gateway to create. */
export class GatewaySpec extends GatewaySettings {
  @IsString()
  @Matches(GATEWAY_NAME, {
    message: 'must be 2 to 39 lower-case letters, digits and dashes, and begin with a letter',
  })
  name!: string;

  @IsIn(CHANNELS)
  channel!: Channel;

  @IsString()
  @MaxLength(40)
  kind!: string;
}

/** Hours of a day in which a route is in force. */
export class HoursSpec {
  @IsString()
  @Matches(HOUR, { message: 'must be a time as 21:00' })
  from!: string;

  @IsString()
  @Matches(HOUR, { message: 'must be a time as 21:00' })
  to!: string;

  @IsString()
  @MaxLength(60)
  zone!: string;
}

/** The messages that a route takes. */
export class MatchSpec {
  @Optional()
  @DistinctTexts(MAX_LISTED)
  @Matches(/^[1-9]\d{0,14}$/, { each: true, message: 'must be the first 1 to 15 digits of numbers' })
  prefixes?: string[];

  @Optional()
  @DistinctTexts(MAX_LISTED)
  @Matches(/^[A-Z]{2}$/, { each: true, message: 'must be two capital letters, as IN (ISO 3166-1)' })
  countries?: string[];

  @Optional()
  @DistinctWords(ROUTED_TYPES)
  types?: RoutedType[];

  @Optional()
  @DistinctTexts(MAX_LISTED)
  @Matches(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, {
    each: true,
    message: 'must be the id of an account',
  })
  accounts?: string[];

  @Optional()
  @DistinctTexts(MAX_LISTED)
  @MaxLength(20, { each: true })
  senders?: string[];

  @Optional()
  @ValidateNested()
  @Type(() => HoursSpec)
  hours?: HoursSpec;
}

const NO_NAME = { message: 'must be the name of a gateway' };

/** A gateway of a route. */
export class TargetSpec {
  @IsString(NO_NAME)
  @MaxLength(40, NO_NAME)
  gateway!: string;

  @Optional()
  @IsIntBetween(0, 1_000)
  weight?: number;

  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(1_000_000)
  cost?: number | null;
}

/** Rules about messages that a gateway did not take. */
export class PolicySpec {
  @Optional()
  @IsIntBetween(0, 86_400_000)
  failoverAfterMs?: number;

  @Optional()
  @IsBoolean()
  resendUnconfirmed?: boolean;
}

/** The settings of a route that may change. */
export class RouteSettings {
  @Optional()
  @IsIntBetween(0, 1_000_000)
  priority?: number;

  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @Optional()
  @ValidateNested()
  @Type(() => MatchSpec)
  match?: MatchSpec;

  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_GATEWAYS_OF_ROUTE)
  @IsString({ each: true })
  @MaxLength(40, { each: true })
  fallbacks?: string[];

  @Optional()
  @ValidateNested()
  @Type(() => PolicySpec)
  policy?: PolicySpec;
}

/** A route to create. */
export class RouteSpec extends RouteSettings {
  @IsString()
  @Matches(/^[a-z][a-z0-9-]{0,38}$/, {
    message: 'must be 1 to 39 lower-case letters, digits and dashes, and begin with a letter',
  })
  name!: string;

  @IsArray({ message: 'must be a list of gateways' })
  @ArrayMinSize(1, { message: 'must name a gateway' })
  @ArrayMaxSize(MAX_GATEWAYS_OF_ROUTE)
  @ValidateNested({ each: true })
  @Type(() => TargetSpec)
  targets!: TargetSpec[];
}

/** The contents of GATEWAYS_FILE. */
export class GatewaysFileSpec {
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @ValidateNested({ each: true })
  @Type(() => GatewaySpec)
  gateways?: GatewaySpec[];

  @Optional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @ValidateNested({ each: true })
  @Type(() => RouteSpec)
  routes?: RouteSpec[];
}
