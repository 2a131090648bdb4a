import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Violation } from '@signalbox/domain/violation';

import { FilledText, Optional } from '../http/rules.ts';
import { VerifyConfigOptions } from './verify-config-options.dto.ts';
import { checkConfig, checkNewFlow, checkNewText } from './verify-config.rules.ts';

const NAME = { description: 'Name of the configuration, unique within the account', example: 'login' };

/** A verification configuration to create. */
export class VerifyConfigRequest extends VerifyConfigOptions {
  @ApiProperty(NAME)
  @FilledText(100)
  name!: string;

  static check(request: VerifyConfigRequest, passed: Partial<VerifyConfigRequest>): Violation[] {
    return [...checkNewText(passed), ...checkConfig(passed), ...checkNewFlow(request, passed)];
  }
}

/** Settings to change. Omitted settings keep their values. */
export class VerifyConfigChange extends VerifyConfigOptions {
  @ApiPropertyOptional(NAME)
  @Optional()
  @FilledText(100)
  name?: string;

  static check(_: VerifyConfigChange, passed: Partial<VerifyConfigChange>): Violation[] {
    return checkConfig(passed);
  }
}
