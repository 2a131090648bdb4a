import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import type { Violation } from '@signalbox/domain/violation';
import { GATEWAY_KINDS } from '@signalbox/gateways/registry';
import { checkMalformedGateway } from '@signalbox/messaging/routing-config/malformed-specs';
import { GatewaySettings, GatewaySpec } from '@signalbox/messaging/routing-config/specs';

import { FilledText, Optional } from '../http/rules.ts';

const SETTINGS = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Settings of the kind; unknown names are refused. In a change, settings that are left out keep their values, and null restores a default.',
};
const SECRETS = {
  type: 'object' as const,
  additionalProperties: { type: 'string' as const, nullable: true },
  description:
    'Credentials of the kind by name. They are sealed, and no response shows them. In a change, those that are left out keep their values, and null removes one.',
};
const RATE = {
  type: Number,
  nullable: true,
  minimum: 1,
  maximum: 100_000,
  description:
    'Messages per second, for all workers together; null for no limit. Over SMPP each segment counts.',
};
const ENABLED = { description: 'False closes the gateway in every worker. True by default.' };

const MAX_SECRET = 10_000;

const PAUSE = 'is not set here: use POST /v1/gateways/{name}/pause and /resume';
const CANNOT_CHANGE =
  'cannot change: create a gateway with another name, point the routes at it, and delete this one';

/** A gateway to create. */
export class GatewayRequest extends GatewaySpec {
  @ApiProperty({
    pattern: '^[a-z][a-z0-9-]{1,38}$',
    example: 'smsc-1',
    description: 'Unique. Reports, callbacks and routes name the gateway by it; it cannot change.',
  })
  declare name: string;

  @ApiProperty({ enum: CHANNELS })
  declare channel: Channel;

  @ApiProperty({ enum: GATEWAY_KINDS.map(({ kind }) => kind) })
  declare kind: string;

  @ApiPropertyOptional(SETTINGS)
  declare settings?: Record<string, unknown>;

  @ApiPropertyOptional(SECRETS)
  declare secrets?: Record<string, string | null>;

  @ApiPropertyOptional(RATE)
  declare ratePerSecond?: number | null;

  @ApiPropertyOptional(ENABLED)
  declare enabled?: boolean;

  static readonly refusesUnknown = { paused: PAUSE };

  static check({ secrets }: GatewayRequest, passed: Partial<GatewayRequest>): Violation[] {
    const broken = checkSecrets(secrets);
    const isSound = ({ field }: Violation): boolean => broken.every((each) => each.field !== field);
    const given = { ...passed, secrets: textsOf(passed.secrets) };
    return [...broken, ...checkMalformedGateway(given).filter(isSound)];
  }
}

/** A change of a gateway. */
export class GatewayChange extends GatewaySettings {
  @ApiPropertyOptional(SETTINGS)
  declare settings?: Record<string, unknown>;

  @ApiPropertyOptional(SECRETS)
  declare secrets?: Record<string, string | null>;

  @ApiPropertyOptional(RATE)
  declare ratePerSecond?: number | null;

  @ApiPropertyOptional(ENABLED)
  declare enabled?: boolean;

  static readonly refusesUnknown = {
    name: CANNOT_CHANGE,
    channel: CANNOT_CHANGE,
    kind: CANNOT_CHANGE,
    paused: PAUSE,
  };

  static check({ secrets }: GatewayChange): Violation[] {
    return checkSecrets(secrets);
  }
}

/** A message that tests a gateway. */
export class GatewayTest {
  @ApiProperty({ description: 'Sender of the message; for a chat app one of your sender numbers.' })
  @FilledText(15)
  sender!: string;

  @ApiProperty({ description: 'Number with its country code that gets the message.' })
  @FilledText(20)
  to!: string;

  @ApiPropertyOptional({ default: 'Test message', maxLength: 160 })
  @Optional()
  @FilledText(160)
  text: string = 'Test message';

  static readonly refusesUnknown = {};
}

/** The members of an object of credentials that are text. */
export function textsOf(secrets: object = {}): Record<string, string> {
  const entries = Object.entries(secrets) as [string, unknown][];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function checkSecrets(secrets: unknown): Violation[] {
  if (typeof secrets !== 'object' || secrets === null) return [];
  return Object.entries(secrets).flatMap(([name, value]) => {
    if (value === null || (typeof value === 'string' && value !== '' && value.length <= MAX_SECRET))
      return [];
    const message = `must be text of 1 to ${MAX_SECRET.toLocaleString('en')} characters, or null`;
    return [{ field: `secrets.${name}`.slice(0, 200), rule: 'invalid_type', message }];
  });
}
