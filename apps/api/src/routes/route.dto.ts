import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { ROUTED_TYPES, type RoutedType } from '@signalbox/domain/routing/route';
import { NestedList } from '@signalbox/gateways/nested';
import { RouteSettings, RouteSpec, TargetSpec } from '@signalbox/messaging/routing-config/specs';
import { MatchSpec, PolicySpec } from '@signalbox/messaging/routing-config/specs';
import { DistinctTexts } from '@signalbox/gateways/distinct-texts';
import { ArrayMinSize, IsIn, IsString, Matches } from 'class-validator';
import { FilledText, IsMsisdn, MaxCodePoints, Optional } from '../http/rules.ts';

const text = { type: 'string' as const };
const list = (example: string[], description: string) => ({
  type: 'array' as const,
  items: text,
  example,
  description,
});

const MATCH = {
  type: 'object' as const,
  description: 'The messages that the route takes: those that match every given field. All by default.',
  properties: {
    prefixes: list(['91', '4479'], 'First digits of the recipient.'),
    countries: list(['IN'], "ISO 3166-1 codes of the recipient's country."),
    types: { type: 'array' as const, items: { ...text, enum: [...ROUTED_TYPES] } },
    accounts: list([], 'Ids of accounts. Inbound SMS of the gateways belong to the only account of a route.'),
    senders: list(['SIGNALBX'], 'Senders of the messages.'),
    hours: {
      type: 'object' as const,
      description: 'Hours of each day; a range that ends before it begins crosses midnight.',
      properties: {
        from: { ...text, example: '08:00' },
        to: { ...text, example: '21:00' },
        zone: { ...text, example: 'Asia/Kolkata' },
      },
    },
  },
};
const TARGETS = {
  type: 'array' as const,
  items: {
    type: 'object' as const,
    required: ['gateway'],
    properties: {
      gateway: text,
      weight: { type: 'integer' as const, minimum: 0, maximum: 1_000, default: 1 },
      cost: { type: 'number' as const, nullable: true, description: 'Per segment, in any one unit.' },
    },
  },
  description:
    'Gateways that share the messages by weight; a recipient stays with its gateway. Where costs are set, the cheapest healthy target takes every message.',
};
const FALLBACKS = {
  type: 'array' as const,
  items: text,
  description: 'Gateways that take what no target can, in order.',
};
const POLICY = {
  type: 'object' as const,
  properties: {
    failoverAfterMs: {
      type: 'integer' as const,
      default: 30_000,
      description: 'Time that a message may be throttled before the next gateway is tried.',
    },
    resendUnconfirmed: {
      type: 'boolean' as const,
      default: false,
      description: 'Submits a message again whose submit went without a response: it may arrive twice.',
    },
  },
};
const PRIORITY = { default: 100, minimum: 0, maximum: 1_000_000, description: 'The lowest is tried first.' };
const ENABLED = { description: 'False takes no messages. True by default.' };

/** A route to create. */
export class RouteRequest extends RouteSpec {
  @ApiProperty({
    pattern: '^[a-z][a-z0-9-]{0,38}$',
    example: 'default',
    description: 'Unique; GATEWAYS_FILE identifies the route by it.',
  })
  declare name: string;

  @ApiPropertyOptional(PRIORITY)
  declare priority?: number;

  @ApiPropertyOptional(ENABLED)
  declare enabled?: boolean;

  @ApiPropertyOptional(MATCH)
  declare match?: MatchSpec;

  @ApiProperty(TARGETS)
  declare targets: TargetSpec[];

  @ApiPropertyOptional(FALLBACKS)
  declare fallbacks?: string[];

  @ApiPropertyOptional(POLICY)
  declare policy?: PolicySpec;

  static readonly refusesUnknown = {};
}

/** A change of a route. A given list or object replaces the whole one. */
export class RouteChange extends RouteSettings {
  @ApiPropertyOptional(PRIORITY)
  declare priority?: number;

  @ApiPropertyOptional(ENABLED)
  declare enabled?: boolean;

  @ApiPropertyOptional(MATCH)
  declare match?: MatchSpec;

  @ApiPropertyOptional(TARGETS)
  @Optional()
  @NestedList(() => TargetSpec, { min: 1, max: 20 })
  targets?: TargetSpec[];

  @ApiPropertyOptional(FALLBACKS)
  declare fallbacks?: string[];

  @ApiPropertyOptional(POLICY)
  declare policy?: PolicySpec;

  static readonly refusesUnknown = {
    name: 'cannot change: create a route with the new name, and delete this one',
  };
}

/** The order in which routes are tried. */
export class RouteOrder {
  @ApiProperty({ type: [String], description: 'The names of all routes, the first one first.' })
  @ArrayMinSize(1)
  @DistinctTexts(1_000)
  @MaxCodePoints(40, { each: true })
  names!: string[];
}

/** A message to explain the route of. */
export class ExplainQuery {
  @ApiProperty({
    description: 'Recipient of the message. In a query string, write a plus as %2B.',
    example: '919812345678',
  })
  @IsString()
  @IsMsisdn()
  recipient!: string;

  @ApiPropertyOptional({ enum: CHANNELS, default: 'sms', description: 'Channel of the message.' })
  @Optional()
  @IsIn(CHANNELS)
  channel: Channel = 'sms';

  @ApiPropertyOptional({ enum: ROUTED_TYPES, default: 'TRANS', description: 'Type of the message.' })
  @Optional()
  @IsIn(ROUTED_TYPES)
  type: RoutedType = 'TRANS';

  @ApiPropertyOptional({ description: 'Sender of the message; none by default.' })
  @Optional()
  @FilledText(20)
  sender?: string;

  @ApiPropertyOptional({ description: 'Account of the message; yours by default.' })
  @Optional()
  @IsString()
  @Matches(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, { message: 'must be the id of an account' })
  accountId?: string;
}
