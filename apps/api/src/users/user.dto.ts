import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseEmail } from '@signalbox/domain/email';
import { ROLES, type Role } from '@signalbox/domain/role';
import type { Violation } from '@signalbox/domain/violation';
import { IsBoolean, IsIn } from 'class-validator';
import { FilledLine, FilledText, Optional } from '../http/rules.ts';

/** A user to invite. */
export class UserRequest {
  @ApiProperty({ description: 'E-mail address with which the user signs in.', maxLength: 254 })
  @FilledText(254)
  email!: string;

  @ApiProperty({ maxLength: 100 })
  @FilledLine(100)
  name!: string;

  @ApiProperty({ enum: ROLES, description: 'A role with at most the scopes of the caller.' })
  @IsIn(ROLES)
  role!: Role;

  static check({ email }: UserRequest): Violation[] {
    if (typeof email !== 'string' || parseEmail(email) !== undefined) return [];
    return [
      { field: 'email', rule: 'invalid_format', message: 'must be an e-mail address, as ana@shop.example' },
    ];
  }
}

/** Changes of a user. */
export class UserChange {
  @ApiPropertyOptional({ enum: ROLES })
  @Optional()
  @IsIn(ROLES)
  role?: Role;

  @ApiPropertyOptional({ description: 'True ends all sessions of the user in the account.' })
  @Optional()
  @IsBoolean()
  disabled?: boolean;
}
